import PushSimulator
import PushTerminal
import SupervisedPush

/// How a client reaches a simulator: what `simulate` prints, and what `--config` and a program's variables say.
struct SimulatorSettings: Sendable {
    /// The first member. No other one begins so, which tells a file of this program's from a person's.
    static let beginning = #"{"management-port":"#

    private let managementPort: Int
    private let texts: [(key: ConfigurationKey, value: String)]
    private let port: Int
    private let certificate: (path: String, privateKey: String)
    /// The URL of its inbox; nil without one.
    private let inbox: String?
    /// Where its export of metrics is, as `--metrics-host` takes it; nil without one.
    private let metricsHost: String?

    init(
        host: String, port: Int, managementPort: Int, inbox: String?, metricsPort: Int? = nil,
        _ folder: CredentialFolder
    ) {
        self.port = port
        self.inbox = inbox
        metricsHost = metricsPort.map { "\(host.contains(":") ? "[\(host)]" : host):\($0)" }
        self.managementPort = managementPort
        texts = [
            (.host, host), (.trustRoots, folder.files.authority), (.key, folder.files.signingKey),
            (.keyID, folder.credentials.keyID), (.teamID, folder.credentials.teamID),
            (.topic, folder.credentials.topic),
        ]
        certificate = (folder.files.providerCertificate, folder.files.providerKey)
    }

    /// One JSON line: a configuration with the signing key, and a named connection with the certificate in its place.
    var line: [UInt8] {
        var object = JSONLine()
        object.add(ConfigurationKey.managementPort.rawValue, managementPort)
        object.add(ConfigurationKey.port.rawValue, port)
        for text in texts { object.add(text.key.rawValue, text.value) }
        if let inbox { object.add(ConfigurationFile.inbox, inbox) }
        if let metricsHost { object.add(ConfigurationFile.metricsHost, metricsHost) }
        var credential = JSONLine()
        credential.add(ConfigurationKey.certificate.rawValue, certificate.path)
        credential.add(ConfigurationKey.privateKey.rawValue, certificate.privateKey)
        return object.line(ending: [("named", JSONLine().line(ending: [("certificate", credential.line)]))])
    }

    /// The variables of a program that runs against it.
    ///
    /// - Parameter path: The file with these settings.
    func variables(config path: String) -> [(name: String, value: String)] {
        let others = [
            (ConfigurationKey.port, "\(port)"), (.managementPort, "\(managementPort)"),
            (.certificate, certificate.path), (.privateKey, certificate.privateKey),
        ]
        let settings = (texts + others).map { setting in
            let name = setting.0.rawValue.uppercased().replacing("-", with: "_")
            return (name: "PUSHCTL_SIMULATOR_" + name, value: setting.1)
        }
        // The token of the simulator, and no longer that of an account.
        let metrics =
            metricsHost.map {
                [
                    (name: "PUSHCTL_SIMULATOR_METRICS_HOST", value: $0),
                    (name: MetricsOptions.tokenVariable, value: SimulatedMetrics.usualToken),
                ]
            } ?? []
        let address = inbox.map { [(name: "PUSHCTL_SIMULATOR_INBOX", value: $0)] } ?? []
        return settings + address + metrics + [(ConfigurationArguments.variable, path)]
    }
}
