import Testing

extension ProgramTests {
    /// `pushctl` and the proxy that its flag or its environment names. None is reached here: 127.0.0.1 port 1 refuses.
    @Suite(.timeLimit(.minutes(5))) struct ProxyProgramTests {
        private static let proxy = "http://me:hunter2@127.0.0.1:1"
        /// A flag has no password.
        private static let plain = "http://me@127.0.0.1:1"

        private func send(_ flags: [String], _ variables: [String]) async throws -> Program.End {
            try await Program(["send", "aabb", "--body", "Boarding"] + flags, variables: variables).end()
        }

        /// Flags that lead to a host by another name than this machine's, and give up soon.
        private func elsewhere(_ stage: Stage) -> [String] {
            stage.connection("--host", Stage.nowhere) + ["--max-outage", "5"]
        }

        @Test("parity: E18 – pushctl takes the environment's proxy by default, and not for this machine")
        func theEnvironmentsProxyIsTaken() async throws {
            let stage = try await Stage()
            let direct = try await send(stage.connection, ["HTTPS_PROXY=\(Self.proxy)"])
            #expect(direct.status == 0, "\(direct.errors)")
            for name in ["HTTPS_PROXY", "all_proxy"] {
                let end = try await send(elsewhere(stage), ["\(name)=\(Self.proxy)"])
                #expect(end.status == 69)
                #expect(end.errors.contains { $0.contains("The proxy http://…@127.0.0.1:1 was not reached") })
                #expect(!(end.errors + end.output).contains { $0.contains("hunter2") })
            }
        }

        @Test func theFlagWins() async throws {
            let stage = try await Stage()
            for (flags, variables) in [
                (["--proxy", Self.plain], ["HTTPS_PROXY=socks5://127.0.0.1:2"]),
                (["--proxy", Self.plain], ["NO_PROXY=*"]),
            ] {
                let end = try await send(elsewhere(stage) + flags, variables)
                #expect(end.status == 69 && end.errors.contains { $0.contains("127.0.0.1:1 was not reached") })
            }
            let none = try await send(elsewhere(stage) + ["--proxy", "none"], ["HTTPS_PROXY=\(Self.proxy)"])
            #expect(none.status == 69 && none.errors.contains { $0.contains("\(Stage.nowhere) has no address") })
        }

        @Test func aMalformedURLIsAUsageErrorAndInTheEnvironmentAConfigurationError() async throws {
            let stage = try await Stage()
            let flag = try await send(elsewhere(stage) + ["--proxy", "ftp://me@p"], [])
            #expect(flag.status == 64 && flag.errors.count == 1)
            let variable = try await send(elsewhere(stage), ["HTTPS_PROXY=ftp://me:hunter2@p"])
            #expect(variable.status == 78 && variable.errors.last?.contains("HTTPS_PROXY") == true)
            #expect(!(flag.errors + variable.errors).contains { $0.contains("hunter2") })
        }
    }
}
