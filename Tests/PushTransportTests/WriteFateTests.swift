import Dispatch
import Testing

@testable import PushTransport

@Suite struct WriteFateTests {
    /// Two records: stream A is bytes 0..<40 and B 40..<100 of the first, C is 60 bytes of the first and the second.
    @Test func fateFollowsEveryByteTheKernelTakes() async throws {
        let lengths = try recordLengths()
        let (first, both) = (lengths[0], lengths[1])
        #expect(first > 100 && both > first + 50)
        for taken in 0...both {
            if taken.isMultiple(of: 4) { await Task.yield() }  // Others wait for this thread.
            let pair = try Pair().established()
            let before = pair.clientEnd.bytesTaken
            pair.clientEnd.accept(exactly: taken)
            writeBoth(pair.client)
            #expect(pair.clientEnd.bytesTaken - before == taken)
            pair.clientEnd.reset()
            pair.client.waitFor(.closed)
            let transport = pair.client.transport
            pair.client.queue.sync {
                let inFirst: WriteFate = taken == 0 ? .notSent : taken < first ? .unprocessed : .written
                #expect(transport.fate(firstByte: 0, end: 40) == inFirst, "A, \(taken) taken")
                #expect(transport.fate(firstByte: 40, end: 100) == inFirst, "B, \(taken) taken")
                let across: WriteFate = taken == 0 ? .notSent : taken < both ? .unprocessed : .written
                #expect(transport.fate(firstByte: 40, end: 150) == across, "C, \(taken) taken")
                let inSecond: WriteFate = taken <= first ? .notSent : taken < both ? .unprocessed : .written
                #expect(transport.fate(firstByte: 100, end: 150) == inSecond, "D, \(taken) taken")
                let noEnd: WriteFate = taken == 0 ? .notSent : .unprocessed
                #expect(transport.fate(firstByte: 0, end: nil) == noEnd)
                #expect(transport.fate(firstByte: nil, end: nil) == .notSent)
                #expect(transport.fate(firstByte: 150, end: 160) == .notSent, "produced, never encrypted")
            }
        }
    }

    private func recordLengths() throws -> [Int] {
        let pair = try Pair().established()
        pair.clientEnd.accept(exactly: 0)
        writeBoth(pair.client)
        let both = pair.client.queue.sync { pair.client.transport.unwritten }
        return [both - 50 - (both - 150) / 2, both]
    }

    private func writeBoth(_ client: Peer) {
        client.queue.sync {
            [UInt8](repeating: 1, count: 100).withUnsafeBytes { client.transport.write($0) }
            [UInt8](repeating: 2, count: 50).withUnsafeBytes { client.transport.write($0) }
            client.transport.flush()
        }
    }

    @Test func ciphertextWithoutPlaintextMovesNoPlaintextOffset() {
        var ledger = RecordLedger()
        ledger.took(500)  // the handshake
        ledger.encrypted(10, from: 500, to: 532)
        ledger.encrypted(10, from: 560, to: 592)  // a key update lies between
        ledger.took(60)
        #expect(ledger.fate(firstByte: 0, end: 10) == .written)
        #expect(ledger.fate(firstByte: 10, end: 20) == .notSent)
        ledger.took(1)
        #expect(ledger.fate(firstByte: 10, end: 20) == .unprocessed)
        #expect(ledger.fate(firstByte: 5, end: 15) == .unprocessed)
        ledger.took(31)
        #expect(ledger.fate(firstByte: 10, end: 20) == .written)
        #expect(ledger.fate(firstByte: 20, end: 21) == .notSent)
    }
}
