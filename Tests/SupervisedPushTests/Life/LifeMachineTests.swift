import ProcessRuntime
import Testing

@testable import SupervisedPush

/// The life of a connection.
@Suite struct LifeMachineTests {
    private let new = LifeHarness(.connection)
    private var serving: LifeHarness { new.after(.began(7)) }
    private var between: LifeHarness { serving.after(.ended(7)) }
    private var closing: LifeHarness { serving.after(.close(5)) }

    @Test func itsFirstProcessBegins() {
        var life = new
        #expect(life.life.keepsHandBack, "no process could be named to the owner")
        #expect(life.say(.began(7)) == ["begin <7>"])
        #expect(life.life.state == .serving(ProcessID(7)) && life.life.process == ProcessID(7))
        #expect(life.life.isOpen && !life.life.keepsHandBack && life.life.end == nil)
    }

    @Test("parity: E22 – when a process ends, everything waits for the supervisor's word")
    func aProcessEnds() {
        var life = serving
        #expect(life.say(.ended(7)) == ["tell end of <7>: killed"])
        #expect(life.life.state == .between && life.life.process == nil && life.life.isOpen)
        #expect(life.say(.restartFollows) == ["accept offers"])
        #expect(life.say(.restartFollows) == [], "a restart failed, and the next one is due")
        #expect(life.say(.began(8)) == ["begin <8>"])
        #expect(life.life.process == ProcessID(8))
    }

    @Test func theEndOfAnotherProcessIsNotItsOwn() {
        var life = serving.after(.ended(7), .restartFollows, .began(8))
        #expect(life.say(.ended(7)) == [])
        #expect(life.life.state == .serving(ProcessID(8)))
    }

    @Test func aProcessThatBeginsSaysWhatTheSupervisorWouldHave() {
        var life = between
        #expect(life.say(.began(8)) == ["accept offers", "begin <8>"])
    }

    @Test("parity: E22, F5 – the supervisor gives up: who waits is answered, then the name is free, then it is told")
    func theSupervisorGivesUp() {
        for harness in [between, between.after(.restartFollows)] {
            var life = harness
            #expect(life.say(.noRestart(.givenUp)) == LifeHarness.ending("given up"))
            #expect(life.life.state == .ending(.givenUp) && life.life.end == .givenUp && !life.life.isOpen)
            #expect(life.say(.completionsReturned) == LifeHarness.givenUp)
            #expect(life.life.state == .ended(.givenUp))
        }
    }

    @Test func anEndInOrderThatNoRestartFollowsIsNoGivingUp() {
        var life = serving.after(.ended(7, .normal))
        #expect(life.say(.noRestart(LifeEnd(after: .normal))) == LifeHarness.ending("closed"))
        #expect(life.say(.completionsReturned) == LifeHarness.closed)
    }

    @Test("parity: P7 – a refused credential that ends the connection is the cause that everybody is told")
    func theCredentialIsRefused() {
        let reason = ExitReason.failure(LifeHarness.refusal)
        var life = serving.after(.ended(7, reason))
        #expect(life.say(.noRestart(LifeEnd(after: reason))) == LifeHarness.ending("refused"))
        #expect(life.life.end?.refusal == LifeHarness.refusal)
        #expect(life.say(.completionsReturned) == LifeHarness.givenUp)
    }

    @Test func theReasonOfTheLastProcessIsTheReasonOfTheEnd() {
        #expect(LifeEnd(after: .normal) == .closed && LifeEnd(after: .shutdown) == .closed)
        #expect(LifeEnd(after: .killed) == .givenUp && LifeEnd(after: .failure(NoProcess(ProcessID(1)))) == .givenUp)
        #expect(LifeEnd(after: .failure(LifeHarness.refusal)) == .refused(LifeHarness.refusal))
    }

    @Test func closedItEndsWithItsProcessAndWaitsForNoWord() {
        var life = serving
        #expect(life.say(.close(5)) == ["release", "close room by 5", "close by 5"])
        #expect(!life.life.isOpen && life.life.keepsHandBack && life.life.end == nil)
        #expect(life.life.process == ProcessID(7))
        #expect(life.say(.ended(7, .normal)) == ["tell end of <7>: normal"] + LifeHarness.ending("closed"))
        #expect(life.say(.completionsReturned) == LifeHarness.closed)
    }

    @Test func aProcessThatFailsWhileItClosesIsNotGivenUp() {
        for reason in [ExitReason.killed, .failure(LifeHarness.refusal)] {
            var life = closing
            #expect(life.say(.ended(7, reason)).suffix(3) == LifeHarness.ending("closed"))
            #expect(life.say(.completionsReturned) == LifeHarness.closed)
        }
    }

    @Test func aLaterCloseCanOnlyBringTheDeadlineForward() {
        var life = closing
        #expect(life.say(.close(6)) == [])
        #expect(life.say(.close(5)) == [])
        #expect(life.say(.close(2)) == ["close room by 2", "close by 2"])
        #expect(life.say(.close(3)) == [])
    }

    @Test func aMemberThatLeavesCanBeClosed() {
        var life = serving
        #expect(
            life.say(.close(by: LifeHarness.at(60), isLeaving: true))
                == ["release", "close room by 60", "close by 60, leaving"])
        #expect(life.say(.close(5)) == ["close room by 5", "close by 5"])
    }

    @Test(
        "parity: F5 – closed without a process it ends at once, before the first one, in a gap or before the supervisor's word"
    )
    func closedWithoutAProcess() {
        for harness in [new, between, between.after(.restartFollows)] {
            var life = harness
            #expect(life.say(.close(5)) == ["release"] + LifeHarness.ending("closed"))
            #expect(life.say(.began(8)) == [], "no process begins any more")
            #expect(life.life.process == nil)
            #expect(life.say(.restartFollows) == [] && life.say(.noRestart(.givenUp)) == [])
            #expect(life.say(.completionsReturned) == LifeHarness.closed)
        }
    }

    @Test func noProcessBeginsWhileItCloses() {
        var life = closing
        #expect(life.say(.began(8)) == [] && life.life.process == ProcessID(7))
        #expect(life.say(.noRestart(.givenUp)) == [], "a word about an earlier process is late")
    }

    @Test func aFirstProcessThatCannotBeStartedIsTheEnd() {
        var life = new
        #expect(life.say(.startFailed) == LifeHarness.ending("closed"))
        #expect(life.say(.completionsReturned) == LifeHarness.closed)
        var later = serving
        #expect(later.say(.startFailed) == [], "another one has begun")
    }

    @Test func nothingFollowsTheEnd() {
        let ending = between.after(.noRestart(.givenUp))
        let events: [LifeMachine.Event] = [
            .began(8), .ended(7), .restartFollows, .noRestart(.closed), .startFailed, .close(0), .giveUp(nil),
            .memberJoins(1), .memberEnded(1),
        ]
        for event in events {
            var life = ending
            #expect(life.say(event) == [] && life.life.state == .ending(.givenUp), "\(event)")
            life.say(.completionsReturned)
            #expect(life.say(event) == [] && life.life.state == .ended(.givenUp), "\(event)")
            #expect(life.say(.completionsReturned) == [])
        }
    }

    @Test func completionsThatReturnWhileItLivesEndNothing() {
        for harness in [new, serving, between, closing] {
            var life = harness
            #expect(life.say(.completionsReturned) == [] && life.life.state == harness.life.state)
        }
    }
}

/// The life of a pool: as that of a connection, and it ends after its members.
@Suite struct PoolLifeMachineTests {
    private let new = LifeHarness.pool(1, 2)
    private var serving: LifeHarness { new.after(.began(7)) }

    @Test func closedItWaitsForItsMembersAndThenForItsProcess() {
        var life = serving
        #expect(life.say(.close(5)) == ["release", "close room by 5", "close by 5"])
        #expect(life.say(.memberEnded(1)) == [])
        #expect(life.say(.memberEnded(2)) == ["stop process: closed"])
        #expect(life.say(.ended(7, .normal)) == ["tell end of <7>: normal"] + LifeHarness.ending("closed"))
        #expect(life.say(.completionsReturned) == LifeHarness.closed)
    }

    @Test func whileItClosesItsProcessMayEndBeforeItsMembers() {
        var life = serving.after(.close(5))
        #expect(life.say(.ended(7)) == ["tell end of <7>: killed"])
        #expect(life.say(.began(8)) == [], "no other one watches over members that are closing")
        #expect(life.say(.memberEnded(2)) == [])
        #expect(life.say(.memberEnded(1)) == LifeHarness.ending("closed"))
    }

    @Test func closedWithoutAProcessItEndsWithItsLastMember() {
        for harness in [new, serving.after(.ended(7)), serving.after(.ended(7), .restartFollows)] {
            var life = harness
            #expect(life.say(.close(5)) == ["release", "close room by 5", "close by 5"])
            #expect(life.say(.memberEnded(1)) == [])
            #expect(life.say(.memberEnded(2)) == LifeHarness.ending("closed"))
        }
    }

    @Test func aProcessThatIsKilledLeavesItsMembersAsTheyAre() {
        var life = serving
        #expect(life.say(.ended(7)) == ["tell end of <7>: killed"])
        #expect(life.say(.restartFollows) == ["accept offers"])
        #expect(life.say(.memberEnded(1)) == [], "its successor will see who is missing")
        #expect(life.say(.began(8)) == ["begin <8>"])
        #expect(life.life.members == [2])
    }

    @Test("parity: F5 – a process that fails too often gives the pool up, and its members end with it")
    func itsProcessFailsTooOften() {
        var life = serving.after(.ended(7))
        life.now = LifeHarness.at(3)
        #expect(life.say(.noRestart(.givenUp)) == ["end room: given up", "close by 3"])
        #expect(!life.life.keepsHandBack, "nobody closed it: the owner has what is given back")
        #expect(life.say(.memberEnded(1)) == [])
        #expect(life.say(.memberEnded(2)) == LifeHarness.ending("given up"))
        #expect(life.say(.completionsReturned) == LifeHarness.givenUp)
    }

    @Test func withItsLastMemberThePoolIsGivenUp() {
        var life = serving.after(.memberEnded(1), .memberEnded(2))
        #expect(life.say(.giveUp(nil)) == ["release", "end room: given up", "close by 0", "stop process: given up"])
        #expect(life.say(.ended(7, .normal)) == ["tell end of <7>: normal"] + LifeHarness.ending("given up"))
        #expect(life.say(.completionsReturned) == LifeHarness.givenUp)
    }

    @Test("parity: P7 – where APNs refuses the credential of one, all end by themselves, and what flies may finish")
    func theCredentialIsRefused() {
        var life = serving.after(.memberEnded(1))
        #expect(life.say(.giveUp(LifeHarness.refusal)) == ["release"])
        #expect(!life.life.isOpen)
        #expect(life.say(.giveUp(LifeHarness.refusal)) == [], "the others say so, too")
        #expect(life.say(.memberEnded(2)) == ["stop process: refused"])
        let reason = ExitReason.failure(LifeHarness.refusal)
        #expect(life.say(.ended(7, reason)).suffix(3) == LifeHarness.ending("refused"))
        #expect(life.say(.completionsReturned) == LifeHarness.givenUp)
    }

    @Test func aPoolThatIsBeingGivenUpCanStillBeClosed() {
        for refusal in [nil, LifeHarness.refusal] {
            var life = serving.after(.giveUp(refusal))
            #expect(life.say(.close(5)).last == (refusal == nil ? "close by 0" : "close by 5"))
            life.say(.memberEnded(1))
            #expect(life.say(.memberEnded(2)) == ["stop process: closed"])
            #expect(life.say(.ended(7, .normal)).suffix(3) == LifeHarness.ending("closed"))
            #expect(life.say(.completionsReturned) == LifeHarness.closed)
        }
    }

    @Test func oneThatCannotBeStartedEndsTheMembersItHadAlready() {
        var life = new
        #expect(life.say(.startFailed) == ["close room by 0", "close by 0"])
        life.say(.memberEnded(1))
        #expect(life.say(.memberEnded(2)) == LifeHarness.ending("closed"))
    }

    @Test func membersJoinAsLongAsItIsOpen() {
        for harness in [new, serving, serving.after(.ended(7))] {
            #expect(harness.after(.memberJoins(3)).life.members == [1, 2, 3])
        }
        let closing = serving.after(.close(5))
        #expect(closing.after(.memberJoins(3)).life.members == [1, 2])
        var life = closing.after(.memberEnded(1))
        #expect(life.say(.memberEnded(3)) == [], "it never was a member")
        #expect(life.say(.memberEnded(1)) == [], "it ends once")
        #expect(life.say(.memberEnded(2)) == ["stop process: closed"])
    }
}
