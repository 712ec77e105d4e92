import PushTerminal
import SupervisedPush

/// What is said when a campaign pauses because of an answer, and when it goes on.
enum PauseLine {
    /// - Parameter pause: Nil if it goes on.
    static func of(_ pause: PushPause?) -> String { "pushctl: \(clause(pause))".onOneLine }

    /// The same without the program's name.
    static func clause(_ pause: PushPause?) -> String {
        guard let pause else { return "APNs accepts pushes again" }
        let answer = pause.response
        let said = "\(answer.status)\(answer.reason.map { " \($0)" } ?? "")"
        let advice = answer.reason.map { "\($0.meaning) \($0.remedy)" } ?? answer.advice?.sentence ?? ""
        let next = "No other push goes out; next probe in \(Figures.wait(pause.nextProbe / .seconds(1)))"
        let what = pause.judges == .sender ? "APNs refuses the sender of all pushes" : "APNs does not serve"
        return "\(what): \(said). \(advice) \(next)"
    }

    /// Why the run ended, as a clause.
    static func cause(_ subject: PushResponse.Subject, _ time: Seconds) -> String {
        let what = subject == .sender ? "APNs refused the sender of all pushes" : "APNs did not serve"
        return "\(what) for \(time.defaultValueDescription) s"
    }
}
