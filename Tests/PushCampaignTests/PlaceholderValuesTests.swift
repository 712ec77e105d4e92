import PushTerminal
import Testing

@testable import PushCampaign

/// The values that readers find for placeholders.
@Suite struct PlaceholderValuesTests {
    private func values(_ format: RecordFormat, _ text: String, _ names: [String]) throws -> [InputRecord] {
        var reader = try RecordReaders.open(format, name: "in", fill: pieces(Array(text.utf8), of: 7))
        try reader.find(names)
        var records: [InputRecord] = []
        while let record = try reader.next() { records.append(record) }
        return records
    }

    private func texts(_ record: InputRecord) -> [String?] {
        record.values.map { $0.map { String(decoding: $0, as: UTF8.self) } }
    }

    @Test func columnsOfAnyNameHaveThem() throws {
        let text = "Order No,token,name\n7,aa,\"say \"\"hi\"\"\"\n, bb ,  Ann \n"
        let found = try values(.csv, text, ["name", "Order No", "token"])
        #expect(found.map(texts) == [["say \"hi\"", "7", "aa"], ["Ann", "", "bb"]])
        #expect(found.allSatisfy { $0.problem == nil })
    }

    @Test func aValueThatIsNotUTF8MakesTheRecordInvalid() throws {
        var reader = try RecordReaders.open(
            .csv, name: "in", fill: pieces(Array("token,name\naa,".utf8) + [0xFF] + Array("\n".utf8), of: 9))
        try reader.find(["name"])
        #expect(try reader.next()?.problem == "name is not UTF-8")
    }

    @Test func aColumnThatIsMissingIsAUsageErrorWithTheNearestOne() {
        let error = #expect(throws: CommandError.self) { try values(.csv, "token,name\naa,x\n", ["nmae"]) }
        #expect(error == .usage("{{nmae}}: in has no column nmae; did you mean name?"))
        let other = #expect(throws: CommandError.self) { try values(.csv, "token,name\naa,x\n", ["city"]) }
        #expect(other == .usage("{{city}}: in has no column city; its columns are token, name"))
        let twice = #expect(throws: CommandError.self) { try values(.csv, "token,name,name\naa,x,y\n", ["name"]) }
        #expect(twice?.status == .input)
    }

    @Test func aColumnThatAPlaceholderNamesMeansSomething() throws {
        var reader = try CSVReader(name: "in", fill: pieces(Array("user,token,plan\n".utf8), of: 99))
        try reader.find(["plan"])
        #expect(reader.unknownNames == ["user"])
    }

    @Test func membersHaveThem() throws {
        let text = """
            {"token":"aa","name":"A\\nB","n":7,"on":true}
            {"token":"bb","name":null,"n":-1.5}
            {"token":"cc","name":{"a":1},"n":[1]}
            {"token":"dd","name":"a","name":"b"}

            """
        let found = try values(.ndjson, text, ["name", "n", "on"])
        #expect(
            found.map(texts) == [["A\nB", "7", "true"], [nil, "-1.5", nil], [nil, nil, nil], ["b", nil, nil]])
        #expect(found.map(\.problem) == [nil, nil, nil, "name appears twice"])
    }

    @Test(
        arguments: [
            ([0x1F, 0x8B, 8, 0], "input is compressed: zcat input | pushctl bulk"),
            ([0x28, 0xB5, 0x2F, 0xFD], "zstdcat input"),
            ([0xFF, 0xFE, 0x74, 0], "input is UTF-16: iconv -f UTF-16 -t UTF-8 input | pushctl bulk"),
            ([0x74, 0, 0x6F, 0], "UTF-16"), ([0x50, 0x4B, 3, 4], "zip archive or a spreadsheet"),
        ] as [([UInt8], String)])
    func whatIsNeitherCSVNorNDJSONIsNamed(_ bytes: [UInt8], _ words: String) {
        for format in RecordFormat.allCases {
            let error = #expect(throws: CommandError.self) { try records(format, bytes + [10], pieceSize: 1) }
            #expect(error?.status == .input && error?.message.contains(words) == true, "\(error?.message ?? "")")
        }
    }
}
