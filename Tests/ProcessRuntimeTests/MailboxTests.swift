import Dispatch
import ProcessRuntime
import PushLocking
import Testing

private enum Letter: MailboxMessage, Hashable {
    case text(String)
    case number(Int)
    case lost(Int)

    static func overflowed(_ count: Int) -> Letter { .lost(count) }

    var isText: Bool { if case .text = self { true } else { false } }
}

/// A message that carries many things.
private enum Parcel: MailboxMessage, Equatable {
    case things(Int)
    case lost(Int)

    static func overflowed(_ count: Int) -> Parcel { .lost(count) }

    var weight: Int { if case .things(let count) = self { count } else { 1 } }
}

extension MailboxTests {
    @Test func whatWasDroppedIsOneMessageHoweverOftenSelectiveReceiversMakeRoom() async {
        let mailbox = Mailbox<Letter>(limit: 1, time: ManualTime())
        for number in 0..<1_000 {
            #expect(mailbox.post(.number(number)) && !mailbox.post(.text("dropped")))
            let taken = await mailbox.receive { if case .number = $0 { true } else { false } }
            #expect(taken == .number(number))
        }
        #expect(await mailbox.receive(timeout: .zero) == .lost(1_000))
        #expect(mailbox.count == 0)
    }

    @Test func aMessageTakesItsWeightOfTheLimit() async {
        let mailbox = Mailbox<Parcel>(limit: 10, time: ManualTime())
        #expect(mailbox.post(.things(4)) && mailbox.post(.things(5)))
        // As long as there is any room, a message is taken whole.
        #expect(mailbox.post(.things(100)))
        #expect(!mailbox.post(.things(1)) && mailbox.count == 3)
        for expected in [Parcel.things(4), .things(5), .things(100), .lost(1)] {
            #expect(await mailbox.receive(timeout: .zero) == expected)
        }
        // An empty one counts, too: it takes a place.
        for _ in 0..<10 { #expect(mailbox.post(.things(0))) }
        #expect(!mailbox.post(.things(0)))
    }
}

@Suite(.timeLimit(.minutes(5))) struct MailboxTests {
    private let time = ManualTime()

    private func makeMailbox(limit: Int = 10) -> Mailbox<Letter> { Mailbox(limit: limit, time: time) }

    /// A task that receives with a timeout, returned when it waits: its timer is armed.
    private func waiting(
        _ mailbox: Mailbox<Letter>, _ number: Int = 1, where wants: (@Sendable (Letter) -> Bool)? = nil
    ) async -> Task<Letter?, Never> {
        let task = Task {
            if let wants {
                await mailbox.receive(timeout: .seconds(number), where: wants)
            } else {
                await mailbox.receive(timeout: .seconds(number))
            }
        }
        await time.waitUntilArmed(count: number)
        return task
    }

    @Test func messagesComeInOrderUntilItIsClosed() async {
        let mailbox = makeMailbox()
        for number in 1...3 { #expect(mailbox.post(.number(number))) }
        #expect(mailbox.count == 3)
        mailbox.close()
        #expect(!mailbox.post(.number(4)))
        var seen: [Letter] = []
        for await letter in mailbox { seen.append(letter) }
        #expect(seen == [.number(1), .number(2), .number(3)])
        #expect(await mailbox.receive() == nil)
    }

    @Test func theNewestAreDroppedAndCountedInTheirPlace() async {
        let mailbox = makeMailbox(limit: 2)
        #expect((1...5).map { mailbox.post(.number($0)) } == [true, true, false, false, false])
        #expect(await mailbox.receive() == .number(1))
        #expect(mailbox.post(.number(6)))
        #expect(!mailbox.post(.number(7)))
        mailbox.close()
        var seen: [Letter] = []
        for await letter in mailbox { seen.append(letter) }
        #expect(seen == [.number(2), .lost(3), .number(6), .lost(1)])
    }

    @Test func aPostWakesAReceiver() async {
        let mailbox = makeMailbox()
        let task = await waiting(mailbox)
        mailbox.post(.number(1))
        #expect(await task.value == .number(1))
    }

    @Test func receiversAreServedInTheOrderInWhichTheyCame() async {
        let mailbox = makeMailbox()
        let tasks = [await waiting(mailbox, 1), await waiting(mailbox, 2), await waiting(mailbox, 3)]
        for number in 1...3 { mailbox.post(.number(number)) }
        var seen: [Letter?] = []
        for task in tasks { seen.append(await task.value) }
        #expect(seen == [.number(1), .number(2), .number(3)])
        #expect(mailbox.count == 0)
    }

    @Test func aTimeoutEndsInNilAndTakesNothing() async {
        let mailbox = makeMailbox()
        let task = await waiting(mailbox, 1)
        time.advance(by: .milliseconds(999))
        time.advance(by: .milliseconds(1))
        #expect(await task.value == nil)
        mailbox.post(.number(1))
        #expect(mailbox.count == 1)
        #expect(await mailbox.receive(timeout: .zero) == .number(1))
        #expect(await mailbox.receive(timeout: .zero) == nil)
        #expect(await mailbox.receive(timeout: .zero) { _ in true } == nil)
        #expect(time.armedCount == 0)
    }

    @Test func aSelectiveReceiveLeavesTheOthersInOrder() async {
        let mailbox = makeMailbox()
        for letter: Letter in [.number(1), .text("a"), .number(2), .text("b")] { mailbox.post(letter) }
        #expect(await mailbox.receive { $0.isText } == .text("a"))
        #expect(await mailbox.receive(timeout: .zero) { $0 == .text("b") } == .text("b"))
        #expect(await mailbox.receive() == .number(1))
        #expect(await mailbox.receive() == .number(2))
    }

    @Test func aSelectiveReceiverWaitsForItsMessageAndIsAskedOnceAboutEach() async {
        let mailbox = makeMailbox()
        let asked = Recorder<Letter>()
        let selective = await waiting(mailbox, 1) {
            asked.record($0)
            return $0.isText
        }
        let other = await waiting(mailbox, 2)
        mailbox.post(.number(1))
        #expect(await other.value == .number(1))
        mailbox.post(.number(2))
        mailbox.post(.text("a"))
        #expect(await selective.value == .text("a"))
        #expect(asked.all == [.number(1), .number(2), .text("a")])
        #expect(await mailbox.receive() == .number(2))
    }

    @Test func aSelectiveReceiverThatCameFirstIsServedFirst() async {
        let mailbox = makeMailbox()
        let selective = await waiting(mailbox, 1) { $0.isText }
        let other = await waiting(mailbox, 2)
        mailbox.post(.text("a"))
        mailbox.post(.text("b"))
        #expect(await selective.value == .text("a"))
        #expect(await other.value == .text("b"))
    }

    @Test func closingEndsThoseWhoWait() async {
        let mailbox = makeMailbox()
        let plain = await waiting(mailbox, 1)
        let selective = await waiting(mailbox, 2) { $0.isText }
        mailbox.close()
        #expect(await plain.value == nil)
        #expect(await selective.value == nil)
        #expect(await mailbox.receive { $0.isText } == nil)
        #expect(mailbox.isClosed)
    }

    @Test func aCancelledReceiverGetsNil() async {
        let mailbox = makeMailbox()
        let task = await waiting(mailbox)
        task.cancel()
        #expect(await task.value == nil)
        mailbox.post(.number(1))
        let cancelled = Task { () -> Letter? in
            withUnsafeCurrentTask { $0?.cancel() }
            return await mailbox.receive()
        }
        #expect(await cancelled.value == nil)
        #expect(mailbox.count == 1)
    }

    @Test func closingRunsItsHandlersOnce() {
        let mailbox = makeMailbox()
        let log = Recorder<String>()
        mailbox.onClose { log.record("one") }
        let reference = mailbox.onClose { log.record("two") }
        mailbox.onClose { log.record("three") }
        mailbox.cancelOnClose(reference)
        mailbox.close()
        mailbox.close()
        mailbox.onClose { log.record("late") }
        #expect(log.all == ["one", "three", "late"])
    }

    @Test func releasingEndsTheSubscriptions() {
        let log = Recorder<String>()
        var mailbox: Mailbox<Letter>? = makeMailbox()
        let subscriber = mailbox.map(WeakMailbox.init)
        mailbox?.onClose { log.record("ended") }
        #expect(subscriber?.post(.number(1)) == true)
        #expect(subscriber?.isClosed == false)
        mailbox = nil
        #expect(log.all == ["ended"])
        #expect(subscriber?.post(.number(2)) == false)
        #expect(subscriber?.isClosed == true)
    }

    @Test func everyMessageGoesToExactlyOneReceiver() async {
        let mailbox = Mailbox<Letter>(limit: 20_000)
        let received = await withTaskGroup(of: [Letter].self) { group in
            for parity in 0..<4 {
                group.addTask {
                    var mine: [Letter] = []
                    if parity < 2 {
                        for await letter in mailbox { mine.append(letter) }
                    } else {
                        while let letter = await mailbox.receive(where: { letter in
                            if case .number(let number) = letter { number % 2 == parity % 2 } else { false }
                        }) { mine.append(letter) }
                    }
                    return mine
                }
            }
            DispatchQueue.concurrentPerform(iterations: 4) { poster in
                for number in 0..<2_000 { mailbox.post(.number(poster * 2_000 + number)) }
            }
            mailbox.close()
            return await group.reduce(into: []) { $0 += $1 }
        }
        #expect(received.count == 8_000)
        #expect(Set(received) == Set((0..<8_000).map(Letter.number)))
    }
}
