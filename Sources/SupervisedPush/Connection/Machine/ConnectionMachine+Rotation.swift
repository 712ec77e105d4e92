/// How another credential takes the place of the one in use, while pushes flow.
extension ConnectionMachine {
    /// A link that is up goes on until one with the other credential is; where none is up, it is taken at once.
    mutating func credentialOffered(_ offer: CredentialOffer) {
        guard closingDeadline == nil, !credential.isHopeless else { return decline(offer, .closed) }
        if let earlier = replacement?.offer { decline(earlier, .superseded) }
        let successor = dialed
        dialed = nil
        if let successor { actions.append(.abandonLink(successor.id)) }
        var pauses = backoff
        pauses.reset()
        guard current != nil, credential.refusal == nil else {
            renewCredential(offer, from: linksDialed + 1)
            backoff = pauses
            replacement = nil
            return current == nil ? dial() : replaceByForce(nil, nil)
        }
        if offer.isProven { renewCredential(offer, from: linksDialed + 1) }
        replacement = Replacement(reason: offer.isProven ? .credential : .offer(offer), backoff: pauses)
        dial()
    }

    /// Takes the credential that is on offer, if one is. The link shows it already; nil: the next one will.
    mutating func takeOffer(from link: LinkID?) {
        guard let offer = replacement?.offer else { return }
        replacement = nil
        renewCredential(offer, from: link?.number ?? linksDialed + 1)
    }

    /// No link came up with the credential on offer: the one in use stays, and its link.
    mutating func offerFailed(_ offer: CredentialOffer, _ cause: LinkFailure) {
        replacement = nil
        announce(.replacementFailed(attempt: 1, delay: .zero, cause: cause))
        decline(offer, .failed(cause))
    }

    /// A proven one is in use already: there is nothing to decline.
    mutating func decline(_ offer: CredentialOffer, _ end: CredentialInUse.OfferEnd) {
        if !offer.isProven { actions.append(.declineOffer(offer.number, end)) }
    }

    private mutating func renewCredential(_ offer: CredentialOffer, from link: UInt32) {
        settings.usesCertificate = offer.isCertificate
        credential.renew(from: link)
        if !offer.isProven { actions.append(.takeOffer(offer.number)) }
    }
}
