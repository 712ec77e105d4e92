import PushSimulator
import SupervisedPush
import TestSupport

/// What goes wrong in a random life, and what an operator does meanwhile.
extension OracleRun {
    mutating func trouble() async {
        let apple = stage.apple
        switch roll(30) {
        case 0: await apple.cutConnections(chance(50) ? .reset : .finish, on: selection())
        case 1, 2: apple.goAway(GoAway(isAnnounced: chance(50)), on: selection())
        case 3: apple.goAway(GoAway(ending: .cut(.reset)), on: selection())
        case 4, 5: apple.holdAnswers(on: selection())
        case 6, 7, 8: apple.releaseAnswers()
        case 9: apple.changeSettings(SettingsChange(initialWindowSize: 0), on: selection())
        case 10, 11: apple.changeSettings(SettingsChange(maxConcurrentStreams: 1 + roll(50), initialWindowSize: 65_535))
        case 12: apple.mute(on: selection())
        case 13, 14: apple.unmute()
        case 15: fault(.resetStream(code: 7))
        case 16: fault(.resetStream(code: [2, 8, 11].randomElement(using: &random) ?? 8))
        case 17:
            fault(
                .refuse(
                    [.serviceUnavailable, .tooManyRequests, .unregistered].randomElement(using: &random)
                        ?? .unregistered))
        case 18: fault(.cutUnprocessed(.reset), times: 1)
        case 19: kill()
        case 20: failProcess()
        case 21: replaceCredential()
        case 22: resize()
        case 23, 24: await killWhileDraining()
        case 25, 26: changeWindow()
        case 27: apple.changeSettings(SettingsChange(initialWindowSize: [20, 100, 2_000][roll(3)]), on: selection())
        case 28: apple.updateWindow(by: 1 + roll(20_000), of: scope(), on: selection())
        default: close()
        }
    }

    /// Nothing goes wrong any more.
    func calm() {
        let apple = stage.apple
        apple.faults.removeAll()
        for name in [OracleStage.single, OracleStage.ordered, OracleStage.pool] { stage.faults.stopFailing(name) }
        apple.unmute()
        apple.releaseAnswers()
        apple.changeWindow(.prompt, of: .all)
        apple.changeSettings(SettingsChange(maxConcurrentStreams: 1_000, initialWindowSize: 65_535))
    }

    /// The peer keeps the body bytes that it reads, of open links or also of those to come, or gives them back late.
    private mutating func changeWindow() {
        let paces: [WindowPace] = [
            .withhold, .withhold, .prompt, .delay(.milliseconds(roll(1_500))),
            .trickle(Dribble(bytes: 1 + roll(1_000), every: .milliseconds(1 + roll(100)))),
        ]
        let (pace, scope) = (paces.randomElement(using: &random) ?? .withhold, scope())
        stage.apple.changeWindow(pace, of: scope, on: selection())
        guard chance(30) else { return }
        stage.apple.faults.add(FaultRule(.connected, .window(pace, of: scope), times: 1 + roll(3)))
    }

    private mutating func scope() -> WindowScope { WindowScope.allCases.randomElement(using: &random) ?? .all }

    /// All links or one of them.
    private mutating func selection() -> ConnectionSelection {
        guard chance(60), let connection = stage.apple.connections.randomElement(using: &random) else { return .all }
        return .only(connection)
    }

    private mutating func fault(_ fault: Fault, times: Int? = nil) {
        stage.apple.faults.add(FaultRule(.push, fault, times: times ?? 1 + roll(30)))
    }

    private mutating func kill() {
        if let pid = stage.processes.randomElement(using: &random) { stage.runtime.kill(pid) }
    }

    /// A process is killed that has a link that drains, a link that is up, and pushes that wait for their turn.
    private mutating func killWhileDraining() async {
        stage.apple.holdAnswers()
        for _ in 0..<3 { pushInOrder() }
        await giveTurns(roll(100))
        stage.apple.goAway()
        await giveTurns(roll(400))
        if let pid = stage.runtime.pid(of: OracleStage.ordered) { stage.runtime.kill(pid) }
        stage.apple.releaseAnswers()
    }

    /// The next link of a connection cannot be made, and its process throws; a GOAWAY has it try.
    private mutating func failProcess() {
        stage.faults.fail(
            [OracleStage.single, OracleStage.ordered, OracleStage.pool].randomElement(using: &random) ?? "", times: 1)
        stage.apple.goAway()
    }

    private mutating func replaceCredential() {
        guard let credential = try? stage.config.credential,
            let name = [OracleStage.single, OracleStage.pool].randomElement(using: &random)
        else { return }
        tasks.append(
            Task { [runtime = stage.runtime] in
                try? await runtime.connection(named: name).replaceCredential(with: credential)
            })
    }

    private mutating func resize() {
        let lower = 1 + roll(3)
        try? stage.runtime.connection(named: OracleStage.pool).resize(to: lower...lower + roll(3))
    }

    private mutating func close() {
        let name =
            [OracleStage.single, OracleStage.ordered, OracleStage.pool].randomElement(using: &random)
            ?? OracleStage.single
        let grace = Duration.milliseconds(roll(200))
        tasks.append(
            Task { [runtime = stage.runtime, book] in
                if let handBack = try? await runtime.close(name: name, within: grace) { book.handedBack(handBack) }
            })
    }
}
