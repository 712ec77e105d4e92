import ArgumentParser
import Glibc
import PushDemo
import PushTerminal

/// `scripts/demo.sh`: the demo of `pushctl demo`, without what the other commands need.
@main
enum DemoProgram {
    static func main() async {
        StandardDescriptors.occupy()
        SignalWatcher.ignoreBrokenPipes()
        let options = DemoOptions.parseOrExit()
        var status = ExitStatus.success
        do {
            status = try await Demo(options).run()
        } catch {
            StandardError.write(error.line)
            status = error.status
        }
        endProgram(status.rawValue)
    }
}
