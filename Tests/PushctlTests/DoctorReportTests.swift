import PushTerminal
import Testing

@testable import pushctl

/// What a person and a script read of a walk.
@Suite struct DoctorReportTests {
    @Test func jsonHasALineForEachLayerAndOneForAll() {
        var facts = DiagnosisTests.healthy
        facts.answer = .init(.milliseconds(5), .success(.response(status: 403, reason: "Forbidden", sentence: nil)))
        let diagnosis = Diagnosis(facts)
        let layer = String(decoding: DoctorReport.json(diagnosis.verdicts[4]), as: UTF8.self)
        #expect(layer == #"{"layer":"alpn","verdict":"ok","milliseconds":null,"detail":"h2","advice":null}"# + "\n")
        let line = String(
            decoding: DoctorReport.json(diagnosis, facts: facts, after: .milliseconds(120)), as: UTF8.self)
        #expect(line.hasPrefix(#"{"layer":"overall","verdict":"fail","milliseconds":120.000,"#))
        #expect(line.hasSuffix(#","first_failure":"credential","exit_status":77}"# + "\n"))
    }

    @Test func textOfServersSteersNoTerminal() {
        var facts = DiagnosisTests.healthy
        facts.handshake?.subject = "/CN=\u{1B}[2Jx"
        facts.handshake?.issuer = "/CN=i"
        let text = DoctorReport.text(Diagnosis(facts).verdicts[3], .plain)
        #expect(!text.contains("\u{1B}") && !text.contains("\n"))
        #expect(DoctorReport.title(facts, .plain).contains("nothing is delivered"))
    }

    @Test func onATerminalSentencesAreWrappedBesideTheirColumnsAndVerdictsHaveColours() {
        let style = TerminalStyle(columns: 52) { ["TERM": "xterm"][$0] }
        let verdict = LayerVerdict(.tls, is: .fail, detail: "One two three four five six.", after: .milliseconds(5))
        #expect(
            DoctorReport.text(verdict, style)
                == "tls        \u{1B}[31mFAIL    \u{1B}[0m    5.0 ms  One two three four\n"
                + String(repeating: " ", count: 31) + "five six.")
    }

    @Test func theLayersAreDecidedInTheirOrder() {
        #expect(DoctorLayer.resolve.decidedBefore.isEmpty)
        #expect(DoctorLayer.tls.decidedBefore == [.resolve, .connect, .proxy])
        // The push decides clock, credential and topic.
        #expect(DoctorLayer.push.decidedBefore.last == .settings)
    }

    @Test func whatWasNotTestedStandsInOneLine() {
        var facts = DiagnosisTests.healthy
        facts.resolution = .init(.zero, .failure(.init("unknownHost", "No address.")))
        let failed = Diagnosis(facts)
        let lines = DoctorReport.end(failed, .plain).split(separator: "\n")
        #expect(
            lines.first == "not tested: connect, proxy, tls, alpn, settings, clock, credential, topic, push")
        #expect(lines.count == 2 && !lines[1].contains("No address."))
    }
}
