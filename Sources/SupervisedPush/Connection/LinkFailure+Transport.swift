import PushTransport

extension LinkFailure {
    init(_ error: TransportError) {
        let layer: ErrorLayer =
            switch error.layer {
            case .resolve: .resolve
            case .connect: .connect
            case .proxy: .proxy
            case .tls: .tls
            case .socket: .socket
            }
        self.init(layer, error.sentence, refusesCertificate: error.code == .certificateRefused)
    }
}
