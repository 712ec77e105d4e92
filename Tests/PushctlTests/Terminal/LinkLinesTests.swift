import Logging
import PushLocking
import PushTerminal
import SupervisedPush
import Testing

@testable import pushctl

/// What is said of links and credentials while a command runs.
@Suite struct LinkLinesTests {
    @Test func aSentenceBecomesAPartOfAnother() {
        #expect(LinkWatch.clause("The peer closed the connection.") == "the peer closed the connection")
        #expect(LinkWatch.clause("APNs said GOAWAY. It was busy.") == "APNs said GOAWAY. It was busy")
        #expect(LinkWatch.clause("TLS failed") == "TLS failed" && LinkWatch.clause("") == "")
    }

    @Test func anEndpointIsNamedOnce() {
        let refused = LinkFailure(.connect, "No connection to localhost:2198: 127.0.0.1: Connection refused.")
        #expect(LinkWatch.cause(refused, "localhost:2198") == "127.0.0.1: Connection refused")
        #expect(LinkWatch.cause(refused, "other:1").hasPrefix("no connection to localhost:2198"))
    }

    @Test func aCertificateSaysWhenItExpires() {
        let now: Int64 = 1_796_688_000  // 2026-12-08
        func line(_ days: Int64) -> String { LinkWatch.line(expiring: now + days * 86_400 + 60, now: now) }
        #expect(line(14) == "pushctl: the provider certificate expires in 14 days, on 2026-12-22")
        #expect(line(1).hasSuffix("expires in 1 day, on 2026-12-09"))
        #expect(line(0).hasSuffix("expires in less than a day, on 2026-12-08"))
        #expect(line(-1).hasSuffix("certificate expired on 2026-12-07"))
    }

    @Test func theLogSaysOnceWhatACommandSaysItself() {
        let lines = Locked<[String]>([])
        let logger = StandardErrorLog.logger { line in lines.withLock { $0.append(line.text) } }
        logger.warning("flight record", metadata: ["entries": .array(["-0.1 s dialing"])])
        logger.error("connection process failed", metadata: ["pid": "<1>", "reason": "a bug"])
        logger.warning("every user of this machine may use a key file: chmod o= it", metadata: ["file": "/k"])
        logger.error("APNs refuses the credential and has never accepted it: the connection ends")
        // That follows from it.
        logger.error("connection process failed", metadata: ["pid": "<1>"])
        #expect(
            lines.withLock { $0 } == [
                "pushctl: error: connection process failed (reason: a bug)",
                "pushctl: warning: every user of this machine may use a key file: chmod o= it (file: /k)",
            ])
    }

    @Test func theLogIsWholeWhereItIsAskedFor() {
        let lines = Locked<[String]>([])
        let logger = StandardErrorLog.logger(isVerbose: true) { line in lines.withLock { $0.append(line.text) } }
        logger.info("connection up", metadata: ["pid": "<1>"])
        logger.debug("late response")
        logger.warning("flight record", metadata: ["entries": .array(["-0.1 s dialing", "-0.0 s up"])])
        #expect(
            lines.withLock { $0 } == [
                "pushctl: info: connection up (pid: <1>)", "pushctl: flight record: -0.1 s dialing",
                "pushctl: flight record: -0.0 s up",
            ])
    }
}
