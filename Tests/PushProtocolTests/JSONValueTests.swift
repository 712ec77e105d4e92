import ProcessRuntime
import PushProtocol
import Testing

@Suite struct JSONValueTests {
    private func parse(_ text: String) -> JSONValue? {
        JSONValue(parsing: Array(text.utf8))
    }

    @Test func valuesAreReadByKind() {
        #expect(
            parse(#" {"a":[1,-2.5,true,false,null,"x"],"b":{}} "#) == [
                "a": [1, -2.5, true, false, nil, "x"], "b": [:],
            ])
        #expect(parse("9223372036854775807") == .integer(.max))
        #expect(parse("9223372036854775808") == .double(9223372036854775808))
        #expect(parse("-0") == 0)
        #expect(parse("1e3")?.integerValue == 1000)
        #expect(parse("1.5")?.integerValue == nil)
        #expect(parse("1e999") == nil)
        #expect(parse("") == nil)
    }

    @Test func escapesAreResolved() {
        #expect(parse(#""\"\\\/\b\f\n\r\t\u0041\u00e9""#) == .string("\"\\/\u{8}\u{c}\n\r\tAé"))
        #expect(parse(#""\ud83d\ude00x""#) == "😀x")
        #expect(parse(#""\ud83dx\ude00\u0041""#) == "\u{fffd}x\u{fffd}A")
    }

    @Test func theLastOfEqualNamesCounts() {
        #expect(parse(#"{"a":1,"a":2}"#)?["a"] == 2)
    }

    @Test func anyBytesAreReadWithoutHarm() {
        var generator = SeededGenerator(seed: 5)
        let alphabet = Array(#"{}[]":,\u0019eE+-.truefalsn "#.utf8) + [0xff, 0x00, 0xc3]
        for _ in 0..<5000 {
            let count = Int.random(in: 0...24, using: &generator)
            let bytes = (0..<count).map { _ in alphabet[Int.random(in: 0..<alphabet.count, using: &generator)] }
            _ = JSONValue(parsing: bytes)
            _ = ResponseDecoder.rejection(in: bytes)
            _ = try? Payload(json: bytes)
        }
    }
}
