import PushQueue
import SupervisedPush
import Testing

@Suite struct EntryIDTests {
    @Test func theTextFormIsReadBack() {
        let id = EntryID(high: 0x0123_4567_89ab_cdef, low: 7)
        #expect(id.description == "0123456789abcdef0000000000000007")
        #expect(EntryID(id.description) == id)
        #expect(EntryID(id.description.uppercased()) == id)
    }

    @Test(arguments: ["", "0123", "0123456789abcdef000000000000000g", "+123456789abcdef0000000000000007"])
    func otherTextIsNoID(_ text: String) {
        #expect(EntryID(text) == nil)
    }

    @Test func eachTokenHasItsOwnAPNsIDAndItIsTheSameEachTime() {
        let id = EntryID()
        let ids = (0..<1_000).map(id.apnsID)
        #expect(Set(ids).count == 1_000)
        #expect(ids == (0..<1_000).map(id.apnsID))
        for each in ids {
            let text = Array("\(each)")
            #expect(text[14] == "8" && "89ab".contains(text[19]), "RFC 9562: version 8, the variant of RFC 4122")
        }
    }
}
