import FoundationEssentials
import ProcessRuntime
import Testing

@testable import SupervisedPush

@Suite struct LifecycleMessageTextTests {
    private static let pid = ProcessID(7)
    private static let cause = LinkFailure(.connect, "Connection refused.")
    private static let token = String(repeating: "ab", count: 32)

    private func message(_ make: (ProcessID, String?) -> LifecycleMessage) -> LifecycleMessage {
        make(Self.pid, "orders")
    }

    @Test func aMessageTellsItsNameAndItsProcess() throws {
        let token = try DeviceToken(Self.token)
        let messages: [LifecycleMessage] = [
            message { .connectionUp(pid: $0, name: $1, generation: 1) },
            message { .reconnecting(pid: $0, name: $1, attempt: 1, delay: .seconds(1), cause: Self.cause) },
            message { .draining(pid: $0, name: $1, generation: 1, reason: nil) },
            message { .replacementFailed(pid: $0, name: $1, attempt: 1, delay: .seconds(1), cause: Self.cause) },
            message { .credentialExpiring(pid: $0, name: $1, notAfter: Date(timeIntervalSince1970: 0)) },
            message { .credentialReloadFailed(pid: $0, name: $1, error: .shutDown()) },
            message { .lateResponse(LateResponse(.noAnswer, to: token, name: $1, pid: $0)) },
            message { .handedBack(pid: $0, name: $1, HandBack()) },
            message { .feedbackOverflow(pid: $0, name: $1, count: 3) },
        ]
        for message in messages {
            #expect(message.name == "orders" && message.pid == Self.pid)
            #expect(message.description.hasPrefix(#""orders" <7>: "#))
            #expect(!message.description.contains("Optional") && !message.description.contains(Self.token))
        }
    }

    @Test func whatAMessageDoesNotTellIsNil() {
        let current = LifecycleMessage.current(phase: .up, pid: Self.pid, generation: 2)
        let down = LifecycleMessage.down(pid: Self.pid, reason: .normal)
        for message in [current, down] { #expect(message.name == nil && message.pid == Self.pid) }
        #expect(LifecycleMessage.givenUp(name: "orders").name == "orders")
        #expect(LifecycleMessage.givenUp(name: "orders").pid == nil)
        #expect(LifecycleMessage.overflowed(3).name == nil && LifecycleMessage.overflowed(3).pid == nil)
    }

    @Test func aMessageIsOneLine() throws {
        let lines = [
            (LifecycleMessage.current(phase: .up, pid: Self.pid, generation: 2), "<7>: current, up, generation 2"),
            (.connectionUp(pid: Self.pid, name: "orders", generation: 1), #""orders" <7>: connectionUp, generation 1"#),
            (.connectionUp(pid: Self.pid, name: nil, generation: 1), "<7>: connectionUp, generation 1"),
            (
                .reconnecting(pid: Self.pid, name: nil, attempt: 2, delay: .milliseconds(962), cause: Self.cause),
                "<7>: reconnecting, attempt 2 in 0.96 s: Connection refused."
            ),
            (
                .draining(pid: Self.pid, name: nil, generation: 1, reason: "Shutdown"),
                "<7>: draining, generation 1: Shutdown"
            ),
            (.draining(pid: Self.pid, name: nil, generation: 1, reason: nil), "<7>: draining, generation 1"),
            (
                .lateResponse(LateResponse(.unprocessed, to: nil, pid: Self.pid, pushID: PushID(5))),
                "<7>: lateResponse, push 5: unprocessed"
            ),
            (.down(pid: Self.pid, reason: .killed), "<7>: down, killed"),
            (.givenUp(name: "orders"), #""orders": givenUp"#),
            (.overflowed(3), "overflowed, number 3"),
        ]
        for (message, line) in lines { #expect(message.description == line) }
    }

    @Test func anEventHasItsTimeAndTheNameThatItsMessageDoesNotTell() {
        let event = ConnectionEvent(
            .down(pid: Self.pid, reason: .normal), name: "orders", time: Date(timeIntervalSince1970: 1.25))
        #expect(event.description == #"1970-01-01T00:00:01.250Z "orders" <7>: down, normal"#)
        #expect(event.pid == Self.pid)
    }
}
