import Testing

/// Tests that run programs; one after the other, so that a small machine runs a few processes at a time.
@Suite(.serialized) enum ProgramTests {}
