#if Server
    import HTTPTypes
    import Hummingbird
    import NIOCore
    import PushSimulator

    /// The paths of an inbox.
    struct InboxRoutes: Sendable {
        let service: InboxService
        private let gate: Gate
        private let guardian: TokenGuard?
        private let readers: Places
        private let waiters: Places

        init(_ service: InboxService, _ configuration: PushInbox.Configuration) {
            self.service = service
            gate = Gate(host: configuration.host, names: configuration.names)
            guardian = configuration.token.map(TokenGuard.init)
            readers = Places(most: configuration.limits.readers)
            waiters = Places(most: configuration.limits.readers)
        }

        var router: Router<BasicRequestContext> {
            let router = Router(context: BasicRequestContext.self, options: .autoGenerateHeadEndpoints)
            router.add(middleware: GateMiddleware(gate: gate, guardian: guardian))
            addPage(to: router)
            addStatus(to: router)
            addPushes(to: router)
            addRules(to: router)
            addDevices(to: router)
            return router
        }

        private func addPage(to router: Router<BasicRequestContext>) {
            for file in PageFile.all + [APIDocuments.openAPI, APIDocuments.ruleSchema] {
                router.get(RouterPath(file.path)) { _, _ in file.response }
            }
            let guardian = guardian
            router.post("/login") { request, _ in
                try await SignIn.response(to: request, guardian)
            }
        }

        private func addStatus(to router: Router<BasicRequestContext>) {
            let (service, readers) = (service, readers)
            router.get("/livez") { _, _ in Response.text("ok\n") }
            router.get("/readyz") { _, _ in
                service.apple.isListening
                    ? .text("ok\n") : Response.text("the simulator does not listen\n", status: .serviceUnavailable)
            }
            router.get("/metrics") { _, _ in
                Response.text(
                    InboxMetrics.text(
                        service.store.totals, connections: service.apple.connectionCount,
                        devices: service.store.withDevices { devices, _ in devices.count }, readers: readers.taken))
            }
            router.get("/v1/status") { _, _ in Response.json(service.status) }
            router.post("/v1/reset") { _, _ in
                service.reset()
                return Response(status: .noContent)
            }
        }

        private func addPushes(to router: Router<BasicRequestContext>) {
            let (service, readers, waiters) = (service, readers, waiters)
            router.get("/v1/pushes") { request, _ in
                let query = Query(request)
                return Response.json(service.list(try query.filter(service), try query.page()))
            }
            router.delete("/v1/pushes") { request, _ in
                Response.json(service.removePushes(try Query(request).filter(service)))
            }
            router.get("/v1/pushes/wait") { request, _ in
                let query = Query(request)
                let filter = try query.filter(service)
                let count = try query.integer("count", 1...10_000) ?? 1
                let seconds = try query.integer("timeout", 0...300) ?? 5
                let after = try query.integer("after", 0...(.max)) ?? 0
                guard waiters.take() else { throw InboxProblem.tooMany("Too many calls wait for pushes.") }
                defer { waiters.leave() }
                return Response.json(
                    try await service.wait(for: count, filter, after: after, within: .seconds(seconds)))
            }
            router.get("/v1/pushes/{number}") { _, context in
                Response.json(try service.push(try Query.number(context, "number")))
            }
            router.get("/v1/events") { request, _ in
                let query = Query(request)
                var writer = EventWriter(filter: try query.filter(service))
                writer.isSummary = try query.isSummary()
                writer.most = try query.integer("most", 1...10_000) ?? .max
                let start = try query.position(service)
                guard readers.take() else { throw InboxProblem.tooMany("Too many readers of the event stream.") }
                return EventStream(service.store, writer, from: start).response(to: request, readers)
            }
        }

        private func addRules(to router: Router<BasicRequestContext>) {
            let service = service
            router.get("/v1/rules") { _, _ in Response.json(service.rules()) }
            router.post("/v1/rules") { request, _ in
                let (id, json) = try service.addRule(try await Query.body(of: request))
                var response = Response.json(json, status: .created)
                response.headers[.location] = "/v1/rules/\(id)"
                return response
            }
            router.delete("/v1/rules") { _, _ in
                service.removeRules()
                return Response(status: .noContent)
            }
            router.get("/v1/rules/{id}") { _, context in
                Response.json(try service.rule(try Query.number(context, "id")))
            }
            router.delete("/v1/rules/{id}") { _, context in
                try service.removeRule(try Query.number(context, "id"))
                return Response(status: .noContent)
            }
            router.get("/v1/connections") { _, _ in Response.json(service.connections()) }
            router.post("/v1/connections/{id}/{action}") { _, context in
                try service.act(Query.text(context, "action"), on: try Query.number(context, "id"))
                return Response(status: .noContent)
            }
        }

        private func addDevices(to router: Router<BasicRequestContext>) {
            let service = service
            router.get("/v1/devices") { request, _ in
                let query = Query(request)
                return Response.json(
                    service.devices(
                        from: try query.integer("from", 0...1_000_000) ?? 0,
                        limit: try query.integer("limit", 1...1_000) ?? 100))
            }
            router.get("/v1/devices/{token}") { _, context in
                Response.json(try service.device(Query.text(context, "token")))
            }
            router.patch("/v1/devices/{token}") { request, context in
                let body = try await Query.body(of: request)
                return Response.json(try service.changeDevice(Query.text(context, "token"), body))
            }
            router.get("/v1/sessions") { _, _ in Response.json(service.listSessions()) }
            router.put("/v1/sessions/{name}") { request, context in
                let body = try await Query.body(of: request)
                return Response.json(try service.putSession(Query.text(context, "name"), body))
            }
            router.delete("/v1/sessions/{name}") { _, context in
                try service.removeSession(Query.text(context, "name"))
                return Response(status: .noContent)
            }
        }
    }
#endif
