import Glibc

/// A thread that ends with its work. What is measured must not share threads with what measures.
enum DetachedThread {
    private final class Work: Sendable {
        let run: @Sendable () -> Void

        init(_ run: @escaping @Sendable () -> Void) { self.run = run }
    }

    /// Ends the program if there is no thread to be had: without it, the measurement would wait forever.
    static func start(_ work: @escaping @Sendable () -> Void) {
        let work = Unmanaged.passRetained(Work(work))
        var thread = pthread_t()
        let body: @convention(c) (UnsafeMutableRawPointer?) -> UnsafeMutableRawPointer? = { reference in
            if let reference { Unmanaged<Work>.fromOpaque(reference).takeRetainedValue().run() }
            return nil
        }
        guard pthread_create(&thread, nil, body, work.toOpaque()) == 0 else {
            Main.end(with: BenchError("no thread could be started"))
        }
        pthread_detach(thread)
    }
}
