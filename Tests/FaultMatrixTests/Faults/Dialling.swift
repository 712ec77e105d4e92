import ProcessRuntime
import PushSimulator
import SupervisedPush

/// Something is wrong with the successor while it is dialled.
extension FaultMatrix {
    static let dialling = FaultChapter(
        title: "The successor cannot be dialled",
        remark: """
            GOAWAY sent half of what was in flight away, and it waits with the rest for a successor, whose set-up fails. The \
            connection pauses and dials again; the old link finishes its half meanwhile. Nothing is lost.
            """,
        faults: [
            successor("it is refused three times") { stage in
                stage.apple.refuseConnections()
                await stage.drainHalf()
                await stage.reconnects(attempt: 1)
                await stage.reconnects(attempt: 2)
                await stage.reconnects(attempt: 3) { stage.apple.acceptConnections() }
            },
            successor("no answer: the attempt ends after 15 s") { stage in
                stage.apple.ignoreConnections()
                await stage.drainHalf()
                await stage.sees("a second connection") { $0.connections == 2 }
                stage.apple.acceptConnections()
                await stage.time.waitUntilArmed(by: stage.time.now.advanced(by: .seconds(15)))
                stage.pass(.seconds(15))
                await stage.reconnects()
            },
            failing("it is reset before TLS", .cut(.reset)),
            failing("it is closed before TLS", .cut(.finish)),
            failing("an expired certificate", .tls(.expiredCertificate)),
            failing("a certificate for another host", .tls(.wrongHost)),
            failing("a certificate of an authority that is not trusted", .tls(.untrustedAuthority)),
            failing("no ALPN", .tls(.noALPN)),
            failing("ALPN chooses HTTP/1.1", .tls(.http1)),
            failing("plain text instead of TLS", .plainText),
            successor("the handshake comes 64 bytes at a time") { stage in
                stage.apple.faults.add(
                    FaultRule(
                        .connecting, .dribbleHandshake(Dribble(bytes: 64, every: .milliseconds(1))), times: 1))
                await stage.drainHalf()
                await stage.provesRulesAreSpent()
                await stage.passesUntilUp(2)
            },
            successor("it says GOAWAY at once, twice: each counts as a failed attempt") { stage in
                stage.apple.faults.add(FaultRule(.connected, .goAway(GoAway()), times: 2))
                await stage.drainHalf()
                await stage.reconnects(attempt: 1)
                await stage.reconnects(attempt: 2)
                await stage.provesRulesAreSpent()
            },
            successor("it starts at limit 1, with half of the pushes unprocessed behind it") { stage in
                stage.apple.faults.add(
                    FaultRule(.connected, .settings(SettingsChange(maxConcurrentStreams: 1)), times: 1))
                await stage.drainHalf(successorFails: false)
                await stage.isUp(2)
                await stage.provesRulesAreSpent()
            },
        ])

    private static func failing(_ name: String, _ fault: Fault) -> FaultCase {
        successor(name) { stage in
            stage.apple.faults.add(FaultRule(.connecting, fault, times: 1))
            await stage.drainHalf()
            await stage.reconnects()
            await stage.provesRulesAreSpent()
        }
    }

    /// Half of what is in flight may finish on the old link, the other half waits for a successor with which something
    /// is wrong.
    private static func successor(
        _ name: String, story: @escaping @Sendable (FaultStage) async throws -> Void
    ) -> FaultCase {
        FaultCase(name) {
            .allDelivered($0.load)
        } story: { stage in
            try await story(stage)
            stage.apple.releaseAnswers()
        }
    }
}
