import ProcessRuntime
import PushSimulator
import TestSupport
import Testing

@testable import SupervisedPush

@Suite struct RegistryTests {
    private let registry = Registry()
    private let time = ManualTime()
    private let one = ProcessID(1)
    private let two = ProcessID(2)

    private func connection(_ name: String, childID: String) throws -> ConnectionEntry {
        let credentials = try ThrowAwayCredentials()
        let config = PushConnection.Configuration(
            credential: .token(
                key: .pem(credentials.signingKeyPEM), keyID: credentials.keyID, teamID: credentials.teamID),
            defaults: .init(topic: "com.example.app"))
        return ConnectionEntry(
            name: name, childID: childID, config: config, credential: try CredentialReader(time: time).resolve(config),
            owner: nil, budget: ByteBudget(limit: .max), time: time,
            hooks: EndHooks(release: { _ in }, forget: { _ in }))
    }

    @Test func aTakenNameNamesItsHolder() throws {
        try registry.add(connection("orders", childID: "1"), pid: one)
        #expect(throws: NameTaken(name: "orders", holder: one)) {
            try registry.add(connection("orders", childID: "2"), pid: two)
        }
        #expect(registry.pid(of: "orders") == one && registry.destination(ofChild: "2") == nil)
        #expect(NameTaken(name: "orders", holder: one).description == "the name \"orders\" is taken by process <1>")
    }

    @Test func aNamePassesOn() throws {
        let orders = try connection("orders", childID: "1")
        try registry.add(orders, pid: one)
        #expect(registry.pass(orders, to: two) && registry.pid(of: "orders") == two)
        #expect(try registry.destination(named: "orders") === orders)
    }

    @Test func aFreeNameDoesNotPassOn() throws {
        #expect(!registry.pass(try connection("orders", childID: "1"), to: two))
        #expect(registry.pid(of: "orders") == nil && registry.names.isEmpty)
    }

    @Test func aNameIsFreedOnlyByItsHolder() throws {
        let (orders, stranger) = (try connection("orders", childID: "1"), try connection("orders", childID: "2"))
        try registry.add(orders, pid: one)
        registry.remove(stranger)
        #expect(!registry.pass(stranger, to: two) && registry.pid(of: "orders") == one)
        registry.remove(orders)
        #expect(throws: LookupError.self) { try registry.destination(named: "orders") }
        try registry.add(stranger, pid: two)
        try registry.add(connection("bulk", childID: "3"), pid: two)
        #expect(registry.names == ["bulk", "orders"] && registry.pid(of: "orders") == two)
    }
}
