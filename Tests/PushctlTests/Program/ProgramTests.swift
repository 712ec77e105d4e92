import Testing

/// Tests that run programs. `scripts/test.sh` limits how many tests run at a time, and with them the processes.
@Suite enum ProgramTests {}
