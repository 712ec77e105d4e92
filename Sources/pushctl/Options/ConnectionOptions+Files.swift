import SupervisedPush

extension ConnectionOptions {
    /// The files that these flags name, and those of the configuration that a flag replaces.
    package var files: NamedFiles {
        var files = NamedFiles()
        for (flag, path) in [
            ("--key", key), ("--certificate", certificate), ("--private-key", privateKey), ("--p12", p12),
            ("--password-file", passwordFile), ("--trust-roots", trustRoots), ("--config", config),
        ] {
            files.add("the file of \(flag)", path: path)
        }
        // A pipe was read already, and has no more content.
        guard let config, FileIdentity(at: config) != nil,
            let configuration = try? ConfigurationFile(contentsOf: config)
        else { return files }
        for name in ConfigurationKey.allCases where name.isPath {
            files.add("the \(name.rawValue) of \(config)", path: configuration.text(name))
        }
        return files
    }
}
