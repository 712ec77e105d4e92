import ProcessRuntime
import PushQueue
import Testing

@Suite struct TokenSetTests {
    @Test func itBehavesLikeASetAndItsTextFormIsReadBack() {
        var generator = SeededGenerator(seed: 1)
        for _ in 0..<200 {
            var (tokens, model): (TokenSet, Set<Int>) = (TokenSet(), [])
            for _ in 0..<Int.random(in: 0...40, using: &generator) {
                let index = Int.random(in: 0...999, using: &generator)
                if Bool.random(using: &generator) {
                    tokens.insert(index)
                    model.insert(index)
                } else {
                    tokens.remove(index)
                    model.remove(index)
                }
            }
            #expect((0...999).filter(tokens.contains) == model.sorted())
            #expect(tokens.count == model.count && tokens.isEmpty == model.isEmpty)
            #expect(tokens == TokenSet(model))
            #expect(TokenSet(tokens.description) == tokens)
        }
    }

    @Test func theTextFormIsHexadecimal() {
        #expect(TokenSet().description == "")
        #expect(TokenSet([0, 4]).description == "11")
        #expect(TokenSet([64]).description == "10000000000000000")
        #expect(TokenSet("xyz") == nil)
    }

    @Test func aUnionHasThePositionsOfBoth() {
        var tokens = TokenSet([1, 500])
        tokens.formUnion(TokenSet([2, 999]))
        #expect(tokens == TokenSet([1, 2, 500, 999]))
    }
}
