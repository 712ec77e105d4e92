import Testing

@testable import PushProtocol

@Suite struct DecimalTests {
    private func text(_ number: some FixedWidthInteger) -> String {
        Decimal.withDigits(of: number) { String(decoding: $0, as: UTF8.self) }
    }

    @Test(arguments: [0, 1, 9, 10, 99, 100, 1_234_567_890, -1, -10, Int64.min, Int64.min + 1, .max])
    func aSignedNumberHasTheDigitsOfItsDescription(number: Int64) {
        #expect(text(number) == "\(number)")
    }

    @Test(arguments: [0, 10, UInt64(Int64.max), UInt64(Int64.max) + 1, .max])
    func aNumberWithoutSignHasTheDigitsOfItsDescription(number: UInt64) {
        #expect(text(number) == "\(number)")
    }
}
