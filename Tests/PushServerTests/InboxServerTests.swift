#if Server
    import PushTesting
    import SupervisedPush
    import TestSupport
    import Testing

    @testable import PushServer

    /// The inbox over HTTP on loopback.
    @Suite("parity: F25 – an inbox over HTTP", .timeLimit(.minutes(5))) struct InboxServerTests {
        /// A simulator with an inbox, a runtime that pushes, and a client of the API.
        private func withInbox(
            _ change: (inout PushInbox.Configuration) -> Void = { _ in },
            _ body: (SimulatedAPNs, PushRuntime, HTTPClient) async throws -> Void
        ) async throws {
            var configuration = PushInbox.Configuration()
            change(&configuration)
            let given = configuration
            try await withSimulatedAPNs(connecting: "orders", timeLimit: nil) { apple, runtime in
                let inbox = try await apple.inbox(given)
                try await body(apple, runtime, HTTPClient(port: inbox.port))
                await inbox.stop()
            }
        }

        private func push(_ runtime: PushRuntime, _ body: String, to token: String = "aabb") async throws
            -> PushResponse
        {
            try await runtime.push(name: "orders", .alert(title: "Gate", body: body), to: DeviceToken(token))
        }

        private func numbers(_ answer: HTTPClient.Answer) throws -> [Int] {
            guard case .array(let pushes)? = try parsed(answer.body)["pushes"] else { return [] }
            return pushes.compactMap { $0["number"]?.integerValue }
        }

        // MARK: Pushes

        @Test func hasAPushBeforeItsProviderSeesTheAnswer() async throws {
            try await withInbox { _, runtime, http in
                _ = try await push(runtime, "B12")
                let list = try await http.get("/v1/pushes")
                #expect(list.status == 200 && list.fields["content-type"] == "application/json")
                let json = try parsed(list.body)
                #expect(json["next"]?.integerValue == 1)
                let detail = try parsed(try await http.get("/v1/pushes/1").body)
                #expect(detail["payload"]?["aps"]?["alert"]?["body"]?.stringValue == "B12")
                #expect(detail["sender"]?["kind"]?.stringValue == "token")
                #expect(try await http.get("/v1/pushes/2").status == 404)
            }
        }

        @Test func pagesForwardsFromANumberAndBackwardsFromTheEnd() async throws {
            try await withInbox { _, runtime, http in
                for number in 1...5 { _ = try await push(runtime, "\(number)", to: number == 3 ? "ccdd" : "aabb") }
                #expect(try numbers(await http.get("/v1/pushes?limit=2")) == [4, 5])
                #expect(try numbers(await http.get("/v1/pushes?limit=2&before=4")) == [2, 3])
                let page = try await http.get("/v1/pushes?limit=2&after=0&token=aa")
                #expect(try numbers(page) == [1, 2] && parsed(page.body)["next"]?.integerValue == 2)
                let next = try await http.get("/v1/pushes?limit=2&after=2&token=aa")
                #expect(try numbers(next) == [4, 5])
                let last = try await http.get("/v1/pushes?limit=2&after=5&token=aa")
                #expect(try numbers(last) == [] && parsed(last.body)["next"]?.integerValue == 5)
            }
        }

        @Test func waitsForPushesThatComeLater() async throws {
            try await withInbox { _, runtime, http in
                async let waiting = http.get("/v1/pushes/wait?count=2&timeout=60&token=aabb")
                for number in 1...3 { _ = try await push(runtime, "\(number)", to: number == 1 ? "ccdd" : "aabb") }
                #expect(try numbers(await waiting) == [2, 3])
            }
        }

        @Test func saysWhatNearlyCame() async throws {
            try await withInbox { _, runtime, http in
                _ = try await push(runtime, "B12")
                let answer = try await http.get("/v1/pushes/wait?count=1&timeout=0&type=voip&token=aa")
                #expect(answer.status == 408 && answer.fields["content-type"] == "application/problem+json")
                let json = try parsed(answer.body)
                guard case .array(let misses)? = json["near_misses"],
                    case .array(let differs)? = misses.first?["differs"]
                else {
                    Issue.record("no near misses")
                    return
                }
                #expect(json["came"]?.integerValue == 0 && differs.map { $0["field"]?.stringValue } == ["type"])
            }
        }

        // MARK: Devices and rules

        @Test func aRemovedDeviceAnswers410WithItsTime() async throws {
            try await withInbox { apple, runtime, http in
                #expect(try await push(runtime, "1").status == 200)
                let changed = try await http.send("PATCH", "/v1/devices/AABB", #"{"state":"removed"}"#)
                #expect(changed.status == 200 && changed.text.contains(#""state":"removed""#))
                let since = apple.wallClockMilliseconds
                let refused = try await push(runtime, "2")
                #expect(refused.status == 410 && refused.reason == .unregistered)
                let time = try #require(refused.timestamp).timeIntervalSince1970 * 1_000
                #expect(Int64(time) <= since)
                _ = try await http.send("PATCH", "/v1/devices/aabb", #"{"state":"online"}"#)
                #expect(try await push(runtime, "3").status == 200)
            }
        }

        @Test(arguments: [
            #"{"state":"lost"}"#, #"{"state":7}"#, #"{"State":"online"}"#, "{}", "[]", "x",
            #"{"state":"online","x":1}"#,
        ]) func aDeviceHasNoOtherState(_ body: String) async throws {
            try await withInbox { _, _, http in
                let answer = try await http.send("PATCH", "/v1/devices/aabb", body)
                #expect(answer.status == 400 && answer.text.contains("wrong_environment"))
                #expect(try await http.get("/v1/devices/aabb").status == 404)
                #expect(try await http.send("PATCH", "/v1/devices/xyz", #"{"state":"removed"}"#).status == 400)
            }
        }

        @Test func aRuleTakesEffectOnTheNextPushAndCounts() async throws {
            try await withInbox { _, runtime, http in
                let rule = #"{"when":"push","times":1,"then":{"refuse":"InternalServerError"}}"#
                let added = try await http.send("POST", "/v1/rules", rule)
                #expect(added.status == 201 && added.fields["location"] == "/v1/rules/1")
                #expect(try parsed(added.body)["fired"]?.integerValue == 0)
                #expect(try await push(runtime, "1").status == 500)
                #expect(try await push(runtime, "2").status == 200)
                let spent = try parsed(try await http.get("/v1/rules/1").body)
                #expect(spent["fired"]?.integerValue == 1 && spent["spent"] == .bool(true))
                #expect(try await http.request("DELETE", "/v1/rules/1").status == 204)
                #expect(try await http.request("DELETE", "/v1/rules/1").status == 404)
                let wrong = try await http.send("POST", "/v1/rules", #"{"when":"push","then":{"refuse":"X"}}"#)
                #expect(wrong.status == 400 && wrong.text.contains("then.refuse"))
            }
        }

        @Test func aConnectionIsCutByItsNumber() async throws {
            try await withInbox { apple, runtime, http in
                _ = try await push(runtime, "1")
                let id = try #require(apple.connections.first?.number)
                #expect(try await http.get("/v1/connections").text.contains(#""phase":"open""#))
                #expect(try await http.request("POST", "/v1/connections/\(id)/sing").status == 404)
                #expect(try await http.request("POST", "/v1/connections/\(id)/cut").status == 204)
                #expect(await apple.ledger.wait(within: .seconds(120)) { $0.openConnections == 0 || $0.handshakes > 1 })
                #expect(try await http.request("POST", "/v1/connections/99/cut").status == 404)
            }
        }

        @Test func aResetForgetsAllButTheCounters() async throws {
            try await withInbox { _, runtime, http in
                _ = try await push(runtime, "1")
                _ = try await http.send("PATCH", "/v1/devices/aabb", #"{"state":"removed"}"#)
                _ = try await http.send("POST", "/v1/rules", #"{"when":"push","then":{"refuse":"BadTopic"}}"#)
                _ = try await http.send("PUT", "/v1/sessions/s", #"{"token":"aa"}"#)
                #expect(try await http.request("POST", "/v1/reset").status == 204)
                #expect(try numbers(await http.get("/v1/pushes")) == [])
                for (path, name) in [("rules", "rules"), ("devices", "devices"), ("sessions", "sessions")] {
                    #expect(try await http.get("/v1/" + path).text.contains("\"\(name)\":[]"), "\(path)")
                }
                #expect(try await push(runtime, "2").status == 200)
                #expect(try numbers(await http.get("/v1/pushes")) == [2])
            }
        }

        // MARK: Events

        @Test func theStreamHasWhatComesAndContinues() async throws {
            try await withInbox { _, runtime, http in
                _ = try await push(runtime, "first")
                let stream = Task { [http] in
                    try await http.exchange("GET", "/v1/events?last=0-0") { $0.contains("\"second\"") }
                }
                _ = try await push(runtime, "second")
                let text = String(decoding: try await stream.value, as: UTF8.self)
                #expect(text.contains("event: push\n") && text.contains("\"first\"") && text.contains("id: 2-"))
                let rest = try await http.exchange("GET", "/v1/events", ["last-event-id": "1-0"]) {
                    $0.contains("\"second\"")
                }
                #expect(!String(decoding: rest, as: UTF8.self).contains("\"first\""))
            }
        }

        @Test func readersWhoLeaveMakeRoomForOthers() async throws {
            try await withInbox({ $0.limits.readers = 2 }) { _, _, http in
                for _ in 0..<6 {
                    await until {
                        let answer = try? await http.exchange("GET", "/v1/events") { $0.contains("retry:") }
                        return String(decoding: answer ?? [], as: UTF8.self).contains("200 OK")
                    }
                }
            }
        }

        @Test func thereAreNoMoreReadersThanPlaces() async throws {
            try await withInbox({ $0.limits.readers = 1 }) { _, runtime, http in
                let first = Task { [http] in
                    try await http.exchange("GET", "/v1/events?last=0-0") { $0.contains("\"end\"") }
                }
                await until { (try? await http.get("/metrics"))?.text.contains("push_inbox_readers 1\n") == true }
                #expect(try await http.get("/v1/events").status == 503)
                _ = try await push(runtime, "end")
                _ = try await first.value
            }
        }

        // MARK: Who is let in

        @Test func anotherNameAndAnotherSiteAreRefused() async throws {
            try await withInbox({ $0.names = ["inbox.test"] }) { _, _, http in
                #expect(try await http.get("/v1/pushes", ["host": "evil.test"]).status == 421)
                #expect(try await http.get("/v1/pushes", ["host": "inbox.test:\(http.port)"]).status == 200)
                #expect(try await http.get("/livez", ["host": "evil.test"]).status == 421)
                for origin in ["null", "http://evil.test"] {
                    #expect(try await http.send("POST", "/v1/reset", "", ["origin": origin]).status == 403, "\(origin)")
                }
                let own = "http://127.0.0.1:\(http.port)"
                #expect(try await http.send("POST", "/v1/reset", "", ["origin": own]).status == 204)
                let form = ["content-type": "text/plain"]
                #expect(try await http.request("POST", "/v1/rules", form, "{}").status == 415)
                let answer = try await http.get("/v1/pushes", ["origin": "http://evil.test"])
                #expect(answer.fields["access-control-allow-origin"] == nil)
            }
        }

        @Test func aTokenIsNeededOnceThereIsOne() async throws {
            try await withInbox({ $0.token = "open sesame" }) { _, _, http in
                #expect(try await http.get("/v1/pushes").status == 401)
                #expect(try await http.get("/v1/pushes", ["authorization": "Bearer wrong"]).status == 401)
                #expect(try await http.get("/v1/pushes", ["authorization": "bearer open sesame"]).status == 200)
                #expect(try await http.get("/livez").status == 200)
                #expect(try await http.get("/readyz").status == 200)
                let page = try await http.get("/")
                #expect(page.status == 303 && page.fields["location"] == "/login")
                let form = ["content-type": "application/x-www-form-urlencoded"]
                let wrong = try await http.request("POST", "/login", form, "token=wrong")
                #expect(wrong.fields["location"] == "/login?wrong" && wrong.fields["set-cookie"] == nil)
                let right = try await http.request("POST", "/login", form, "token=open+sesame")
                let cookie = try #require(right.fields["set-cookie"])
                #expect(cookie.hasSuffix("; Path=/; HttpOnly; SameSite=Strict") && !cookie.contains("sesame"))
                let pair = String(cookie.prefix { $0 != ";" })
                #expect(try await http.get("/v1/pushes", ["cookie": pair]).status == 200)
                #expect(
                    try await http.request("POST", "/login", form, String(repeating: "x", count: 5_000)).status == 413)
            }
        }

        @Test func wrongTokensAreLimited() async throws {
            try await withInbox({ $0.token = "secret" }) { _, _, http in
                // One of them is forgotten each second, so that a slow machine needs a few more.
                await until {
                    (try? await http.get("/v1/pushes", ["authorization": "Bearer wrong"]))?.status == 429
                }
                let right = try await http.get("/v1/pushes", ["authorization": "Bearer secret"])
                #expect(right.status == 200)
            }
        }

        @Test func everyAnswerForbidsWhatThePageDoesNotNeed() async throws {
            try await withInbox { _, _, http in
                for path in ["/", "/v1/pushes", "/nowhere", "/v1/pushes?x=1"] {
                    let fields = try await http.get(path).fields
                    #expect(
                        fields["content-security-policy"]?.hasPrefix("default-src 'none'; script-src 'self';") == true)
                    #expect(fields["content-security-policy"]?.contains("unsafe") == false)
                    #expect(fields["x-content-type-options"] == "nosniff", "\(path)")
                }
                #expect(try await http.get("/v1/pushes?x=1").status == 400)
                let missing = try await http.get("/nowhere")
                #expect(missing.status == 404 && missing.fields["content-type"] == "application/problem+json")
            }
        }

        @Test func bodiesAreBounded() async throws {
            try await withInbox { _, _, http in
                let long = String(repeating: " ", count: Query.mostBytes + 1)
                let refused = try await http.send("POST", "/v1/rules", long)
                #expect(refused.status == 413)
                let deep = String(repeating: "[", count: 60_000)
                #expect(try await http.send("POST", "/v1/rules", deep).status == 400)
                #expect(try await http.send("PATCH", "/v1/devices/aabb", deep).status == 400)
            }
        }

        // MARK: Its life

        @Test func stoppedItsPortIsFreeAndItsReadersEnd() async throws {
            try await withSimulatedAPNs(timeLimit: nil) { apple, _ in
                let inbox = try await apple.inbox()
                let (port, http) = (inbox.port, HTTPClient(port: inbox.port))
                let reader = Task { [http] in try await http.exchange("GET", "/v1/events") { _ in false } }
                let waiter = Task { [http] in try await http.get("/v1/pushes/wait?timeout=300") }
                await until { (try? await http.get("/metrics"))?.text.contains("push_inbox_readers 1\n") == true }
                await inbox.stop()
                _ = try await reader.value
                let status = try await waiter.value.status
                #expect(status == 408 || status == 0)
                var configuration = PushInbox.Configuration()
                configuration.port = port
                let given = configuration
                // Another test may have got the port meanwhile, for a while.
                await until {
                    guard let next = try? await apple.inbox(given) else { return false }
                    #expect(next.port == port && next.url == "http://127.0.0.1:\(port)")
                    await next.stop()
                    return true
                }
            }
        }

        @Test func releasedItStops() async throws {
            try await withSimulatedAPNs(timeLimit: nil) { apple, _ in
                var inbox: PushInbox? = try await apple.inbox()
                let http = HTTPClient(port: try #require(inbox?.port))
                #expect(try await http.get("/livez").status == 200)
                inbox = nil
                await until { (try? await http.get("/livez")) == nil }
                await until { (try? await apple.inbox()) != nil }
            }
        }

        @Test func aSimulatorHasOneInbox() async throws {
            try await withSimulatedAPNs(timeLimit: nil) { apple, _ in
                let inbox = try await apple.inbox()
                let error = await #expect(throws: InboxError.self) { try await apple.inbox() }
                #expect(error?.description.contains("already") == true)
                #expect(try await HTTPClient(port: inbox.port).get("/livez").status == 200)
                await inbox.stop()
            }
        }

        @Test func refusesWhatWouldLetOthersIn() async throws {
            try await withSimulatedAPNs(timeLimit: nil) { apple, _ in
                for (host, port, token, words) in [
                    ("0.0.0.0", 0, nil, "give a token"), ("0.0.0.0", 0, "", "token is empty"),
                    ("evil.test", 0, "t", "not an address"),
                    ("127.0.0.1.evil.test", 0, nil, "not an address"), ("127.0.0.1", 70_000, nil, "not a port"),
                ] as [(String, Int, String?, String)] {
                    var configuration = PushInbox.Configuration()
                    (configuration.host, configuration.port, configuration.token) = (host, port, token)
                    let given = configuration
                    let error = await #expect(throws: InboxError.self) { try await apple.inbox(given) }
                    #expect(error?.description.contains(words) == true, "\(String(describing: error))")
                }
            }
        }

        @Test func saysThatItsAddressIsTaken() async throws {
            try await withSimulatedAPNs(timeLimit: nil) { apple, _ in
                let inbox = try await apple.inbox()
                var taken = PushInbox.Configuration()
                taken.port = inbox.port
                let given = taken
                let error = try await withSimulatedAPNs(timeLimit: nil) { other, _ in
                    await #expect(throws: InboxError.self) { try await other.inbox(given) }
                }
                let sentence =
                    "The inbox cannot listen on 127.0.0.1:\(inbox.port): Address already in use. "
                    + "Choose another address or port."
                #expect(error?.description == sentence)
                await inbox.stop()
            }
        }
    }
#endif
