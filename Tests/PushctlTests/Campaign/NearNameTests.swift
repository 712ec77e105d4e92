import PushReview
import Testing

@testable import PushCampaign
@testable import pushctl

@Suite struct NearNameTests {
    private let fields = RecordField.allCases.map(\.rawValue)

    @Test(
        arguments: [
            ("colapse_id", "collapse_id"), ("collapse-id", "collapse_id"), ("CollapseID", "collapse_id"),
            ("tokne", "token"), ("priorty", "priority"), ("push type", "push_type"),
        ])
    func aMistakeIsNear(_ text: String, _ name: String) {
        #expect(NearName.of(text, in: fields) == name)
    }

    @Test(arguments: ["name", "user", "", "order_number", "plan"])
    func anotherWordIsNot(_ text: String) {
        #expect(NearName.of(text, in: fields) == nil)
        #expect(NearName.question(text, in: fields).isEmpty)
    }
}
