import ProcessRuntime
import Testing

@testable import PushQueue

@Suite struct EntryTableTests {
    private func key(_ number: Int) -> TakenEntry.Key { TakenEntry.Key("\(number)") }

    @Test func itHoldsWhatADictionaryHolds() {
        var random = SeededGenerator(seed: 7)
        var (table, model): (EntryTable<Int>, [TakenEntry.Key: Int]) = (EntryTable(blank: -1), [:])
        for step in 0..<20_000 {
            let key = key(Int.random(in: 0..<40, using: &random))
            switch Int.random(in: 0..<6, using: &random) {
            case 0: (table[key], model[key]) = (step, step)
            case 1: (table[key], model[key]) = (nil, nil)
            case 2: #expect(table.removeValue(forKey: key) == model.removeValue(forKey: key))
            case 3:
                table[key]? += 1
                model[key]? += 1
            case 4:
                func flip(_ value: inout Int?) { value = value == nil ? step : nil }
                flip(&table[key])
                flip(&model[key])
            default:
                if let place = table.index(forKey: key) { table.values[place] += 2 }
                model[key]? += 2
            }
            #expect(table[key] == model[key])
            #expect(table.count == model.count && table.isEmpty == model.isEmpty)
        }
        #expect(Set(table.keys) == Set(model.keys))
        for (key, value) in model { #expect(table[key] == value) }
    }
}
