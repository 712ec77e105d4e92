#if Server
    import Foundation
    import HTTPTypes
    import Hummingbird
    import PushSimulator
    import SupervisedPush
    import Testing

    @testable import PushServer

    @Suite("The OpenAPI document") struct OpenAPITests {
        private static func document() throws -> JSONValue { try parsed(APIDocuments.openAPI.bytes) }

        private static func members(_ json: JSONValue?) -> [String: JSONValue] {
            guard case .object(let members)? = json else { return [:] }
            return members
        }

        @Test func hasEachRouteOfTheAPIAndNoOther() throws {
            let service = InboxService(try SimulatedAPNs(), limits: InboxLimits())
            let routes = InboxRoutes(service, PushInbox.Configuration()).router.routes
            let pages = Set(PageFile.all.map(\.path))
            let served = routes.map { "\($0.method.rawValue.lowercased()) \($0.path)" }
                .filter { !pages.contains(String($0.dropFirst("get ".count))) }
            let described = Self.members(try Self.document()["paths"]).flatMap { path, operations in
                Self.members(operations).keys.map { "\($0) \(path)" }
            }
            #expect(served.sorted() == described.sorted())
        }

        @Test func hasEachParameterOfAFilter() throws {
            guard case .array(let list)? = try Self.document()["paths"]?["/v1/pushes"]?["get"]?["parameters"] else {
                Issue.record("no parameters")
                return
            }
            let names = list.compactMap { $0["$ref"]?.stringValue?.split(separator: "/").last.map(String.init) }
            #expect(names == PushFilter.parameters + ["X-Push-Session", "after", "before", "limit", "view"])
        }

        @Test func refersToWhatItHas() throws {
            let document = try Self.document()
            var references: Set<String> = []
            func visit(_ value: JSONValue) {
                switch value {
                case .object(let members):
                    if let reference = members["$ref"]?.stringValue { references.insert(reference) }
                    members.values.forEach(visit)
                case .array(let values): values.forEach(visit)
                default: break
                }
            }
            visit(document)
            let schema = try parsed(APIDocuments.ruleSchema.bytes)
            for reference in references {
                let parts = reference.split(separator: "#", maxSplits: 1, omittingEmptySubsequences: false)
                let root = parts[0].isEmpty ? document : schema
                #expect(parts[0].isEmpty || parts[0] == APIDocuments.ruleSchema.path)
                let found = parts[1].split(separator: "/").reduce(Optional(root)) { $0?[String($1)] }
                #expect(found != nil, "\(reference)")
            }
            #expect(references.count > 40)
        }

        @Test func namesStatesAndFates() throws {
            let schemas = try Self.document()["components"]?["schemas"]
            func cases(_ schema: JSONValue?) -> [String] {
                guard case .array(let values)? = schema?["enum"] else { return [] }
                return values.compactMap(\.stringValue)
            }
            #expect(cases(schemas?["DeviceState"]) == SimulatedDeviceState.allCases.map(\.rawValue))
            let seen = schemas?["DeviceDetail"]?["properties"]?["seen"]?["items"]?["properties"]
            #expect(cases(seen?["fate"]) == DeviceOutcome.Fate.allCases.map(\.rawValue))
            #expect(
                Set(cases(schemas?["changed"]?["properties"]?["what"])) == Set(InboxStore.Part.allCases.map(\.rawValue))
            )
        }
    }
#endif
