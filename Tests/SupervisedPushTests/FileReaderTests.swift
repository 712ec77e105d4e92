import Dispatch
import Foundation
import PushLocking
import TestSupport
import Testing

@testable import SupervisedPush

/// Files that hang: no task of the program waits for them but the one that asked.
@Suite(.timeLimit(.minutes(2))) struct FileReaderTests {
    /// Time that passes when the test says so.
    private final class Minute: Sendable {
        private let blocks = Locked<[@Sendable () -> Void]>([])

        func later(_: DispatchTimeInterval, _ block: @escaping @Sendable () -> Void) {
            blocks.withLock { $0.append(block) }
        }

        var count: Int { blocks.withLock(\.count) }

        func pass() {
            let due = blocks.withLock { blocks in
                defer { blocks = [] }
                return blocks
            }
            for block in due { block() }
        }
    }

    private func hang(_ reader: FileReader, _ gate: DispatchSemaphore) -> Task<String, Never> {
        Task {
            do throws(ConnectError) {
                return try await reader.read { () throws(ConnectError) in
                    gate.wait()
                    return "read"
                }
            } catch { return error.description }
        }
    }

    @Test func aReadThatHangsHoldsUpNoTaskAndEndsAfterAMinute() async {
        let (minute, gate) = (Minute(), DispatchSemaphore(value: 0))
        let reader = FileReader(later: minute.later)
        // More than Swift has threads for tasks.
        let count = min(FileReader.mostHanging, 2 * ProcessInfo.processInfo.activeProcessorCount + 1)
        let reads = (0..<count).map { _ in hang(reader, gate) }
        await until { minute.count >= count }
        minute.pass()
        for read in reads { #expect(await read.value.contains("could not be read within 60 s")) }
        for _ in 0..<count { gate.signal() }
    }

    @Test func whatAnswersInTimeIsTheAnswer() async {
        let (minute, gate) = (Minute(), DispatchSemaphore(value: 0))
        let reader = FileReader(later: minute.later)
        gate.signal()
        #expect(await hang(reader, gate).value == "read")
        minute.pass()
        gate.signal()
        #expect(await hang(reader, gate).value == "read")
    }

    @Test func whileSixteenHangNothingMoreIsRead() async {
        let (minute, gate) = (Minute(), DispatchSemaphore(value: 0))
        let reader = FileReader(later: minute.later)
        let reads = (0..<16).map { _ in hang(reader, gate) }
        await until { minute.count >= 16 }
        minute.pass()
        for read in reads { #expect(await read.value.contains("could not be read within 60 s")) }
        #expect(await hang(reader, gate).value.contains("16 earlier reads hang"))
        for _ in 0..<17 { gate.signal() }
        // Their threads come back.
        var answer = ""
        repeat { answer = await hang(reader, gate).value } while answer.contains("earlier reads hang")
        #expect(answer == "read")
    }
}
