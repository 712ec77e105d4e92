import Testing

@testable import SupervisedPush

/// Seeded random lives of a name: its room, and the machines that pull from it. Whatever happens, each push ends once, no slot leaks,
/// no limit is passed.
@Suite(.serialized) struct RandomLivesTests {
    @Test(arguments: 0..<40) func noLifeOfAConnectionBreaksTheInvariants(seed: Int) async {
        // Every eighth life begins with a credential that was never accepted, and may be over soon.
        await live(RandomLife(seed: UInt64(seed), connections: 1, wasAccepted: seed % 8 != 0))
    }

    /// Connections come, are retired, fail and come back, and all of them hear what one of them learns of the credential.
    @Test(arguments: 0..<40) func noLifeOfAPoolBreaksTheInvariants(seed: Int) async {
        await live(RandomLife(seed: UInt64(1_000 + seed), connections: 2 + seed % 3, wasAccepted: seed % 8 != 0))
    }

    private func live(_ start: RandomLife) async {
        var life = start
        for step in 0..<2_500 {
            life.step()
            if step.isMultiple(of: 50) { await Task.yield() }  // Others wait for this thread.
        }
        life.end()
    }
}
