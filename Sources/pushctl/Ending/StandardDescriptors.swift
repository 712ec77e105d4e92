import Glibc

/// Standard input, output and error where the program was started without them (`<&- >&- 2>&-`).
package enum StandardDescriptors {
    /// Puts /dev/null in the place of those that are closed. To be called before anything is opened: else a file or a
    /// socket gets the number, and what is written to standard output goes there.
    ///
    /// It is opened for the wrong direction. So reading and writing fail, as they do where nothing is open, and an
    /// outcome that can't be written does not count as written.
    package static func occupy() {
        for descriptor in [STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO] where fcntl(descriptor, F_GETFD) < 0 {
            // The lowest free number is taken, which is this one.
            _ = open("/dev/null", descriptor == STDIN_FILENO ? O_WRONLY : O_RDONLY)
        }
    }
}
