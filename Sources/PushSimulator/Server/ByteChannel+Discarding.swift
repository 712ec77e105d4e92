import PushTransport

extension ByteChannel {
    /// Reads and discards what has arrived; false once the other side has ended.
    func discardInput() -> Bool {
        withUnsafeTemporaryAllocation(byteCount: 4096, alignment: 1) { buffer in
            while true {
                switch read(into: buffer) {
                case .bytes: continue
                case .wouldBlock: return true
                case .endOfStream, .failed: return false
                }
            }
        }
    }
}
