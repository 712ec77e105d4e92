import Foundation
import Testing

extension ProgramTests {
    /// Commands of one request, where no link comes up.
    @Suite(.timeLimit(.minutes(5))) struct NoLinkProgramTests {
        private let send = ["send", "aabb", "--body", "Boarding", "--timeout", "60"]

        @Test func aCertificateThatIsNotTrustedEndsASendAtOnce() async throws {
            let stage = try await Stage()
            let other = try await Stage()
            let began = Date()
            let end = try await Stage.run(
                send + stage.connection("--trust-roots", other.folder + "/credentials/ca.pem"))
            #expect(end.status == 69 && Date().timeIntervalSince(began) < 50)
            #expect(end.output.contains("reason    not_connected"), "\(end.output)")
            // The cause is said once.
            #expect(end.errors.count == 1 && end.errors.first?.contains("was rejected") == true, "\(end.errors)")
            #expect(end.errors.first?.hasSuffix(" pushctl doctor tells which layer fails.") == true)
        }

        @Test func aNameWithoutAnAddressEndsASendAndAListAtOnce() async throws {
            let stage = try await Stage()
            let began = Date()
            for command in [send, ["channels", "list", "--timeout", "60"]] {
                let end = try await Stage.run(command + stage.connection("--host", Stage.nowhere))
                #expect(
                    end.status == 69 && end.errors.last?.contains("\(Stage.nowhere) has no address") == true, "\(end)")
            }
            #expect(Date().timeIntervalSince(began) < 100)
        }

        @Test func aServerThatIsDownIsTriedAgainAndSaidOnce() async throws {
            let stage = try await Stage()
            let end = try await Stage.run(
                ["send", "aabb", "--body", "x", "--timeout", "10"] + stage.connection("--port", "1"))
            #expect(end.status == 69)
            #expect(end.errors.count { $0.hasPrefix("pushctl: no link to localhost:1: ") } == 1, "\(end.errors)")
            let advice = end.output.first { $0.hasPrefix("advice") }
            #expect(advice == "advice    No link came up, so nothing was sent. It is safe to try again.")
        }
    }
}
