import Testing

@testable import PushQueue

@Suite struct EntryKeyTests {
    /// Numbers and ids of streams are kept as numbers, and only if that loses nothing of their text.
    @Test(arguments: [
        "", "0", "17", "18446744073709551615", "18446744073709551616", "99999999999999999999", "00", "017", "-", "-5",
        "5-",
        "0-0", "1763948823000-12", "18446744073709551615-18446744073709551615", "1-18446744073709551616", "1-02",
        "1-2-3",
        "1--2", "1 2", "row 5", "\u{661}", "🔑",
    ]) func aKeyHasTheTextItWasMadeOf(_ text: String) {
        let key = TakenEntry.Key(text)
        #expect(key.description == text)
        #expect(key == TakenEntry.Key(utf8: Array(text.utf8)))
        #expect(key.number == (key.pair == nil ? UInt64(text).flatMap { "\($0)" == text ? $0 : nil } : nil))
    }

    @Test func keysOfDifferentTextsDiffer() {
        let texts = ["1", "01", "1-0", "0-1", "1-00", "1-1", "11", "-11"]
        #expect(Set(texts.map { TakenEntry.Key($0) }).count == texts.count)
        #expect(TakenEntry.Key(17) == TakenEntry.Key("17"))
        #expect(TakenEntry.Key("5-7").pair ?? (0, 0) == (5, 7))
    }
}
