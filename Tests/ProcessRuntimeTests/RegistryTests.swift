import ProcessRuntime
import Testing

@Suite struct RegistryTests {
    let registry = Registry()
    let one = ProcessID(1)
    let two = ProcessID(2)

    @Test func aTakenNameNamesItsHolder() throws {
        try registry.register("orders", one)
        try registry.register("orders", one)
        #expect(throws: NameTaken(name: "orders", holder: one)) { try registry.register("orders", two) }
        #expect(registry.pid(of: "orders") == one)
        #expect(NameTaken(name: "orders", holder: one).description == "the name \"orders\" is taken by process <1>")
    }

    @Test func aNamePassesOn() throws {
        try registry.register("orders", one)
        #expect(registry.rebind("orders", to: two))
        #expect(registry.pid(of: "orders") == two)
        #expect(!registry.rebind("orders", to: one, expecting: one))
        #expect(registry.rebind("orders", to: one, expecting: two))
    }

    @Test func aFreeNameDoesNotPassOn() {
        #expect(!registry.rebind("orders", to: two))
        #expect(registry.pid(of: "orders") == nil)
    }

    @Test func aFreedNameCanBeTaken() throws {
        try registry.register("orders", one)
        #expect(registry.unregister("orders", expecting: two) == nil)
        #expect(registry.unregister("orders") == one)
        #expect(registry.unregister("orders") == nil)
        try registry.register("orders", two)
        try registry.register("bulk", two)
        #expect(registry.names == ["bulk", "orders"])
    }
}
