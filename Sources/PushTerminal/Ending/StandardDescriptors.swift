import Glibc

/// Standard input, output and error, if the program was started without them (`<&- >&- 2>&-`).
package enum StandardDescriptors {
    /// Opens /dev/null for those that are closed. Call it before opening anything: otherwise a file or a socket gets
    /// the number, and standard output is written to it.
    ///
    /// It is opened for the wrong direction, so reading and writing fail as with a closed descriptor, and an outcome
    /// that can't be written does not count as written.
    package static func occupy() {
        for descriptor in [STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO] where fcntl(descriptor, F_GETFD) < 0 {
            // The lowest free number is used, which is this one.
            _ = open("/dev/null", descriptor == STDIN_FILENO ? O_WRONLY : O_RDONLY)
        }
    }
}
