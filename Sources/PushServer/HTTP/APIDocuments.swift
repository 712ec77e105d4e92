#if Server
    /// The documents that describe the API.
    enum APIDocuments {
        static let openAPI = PageFile(
            path: "/v1/openapi.json", type: "application/json", bytes: PackageResources.openapi_json)
        /// Of a script of the simulator. docs/ has the same file.
        static let ruleSchema = PageFile(
            path: "/v1/rules/schema.json", type: "application/schema+json",
            bytes: PackageResources.simulator_script_schema_json)
    }
#endif
