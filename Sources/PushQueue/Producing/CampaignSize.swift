/// How many tokens of one notification are put in together, where they cost least.
package enum CampaignSize {
    /// In one entry: what a worker takes is offered as a whole then.
    package static let tokensPerEntry = TakenEntry.wholeOffer
    /// In one call.
    package static let tokensPerCall = 16_384
}
