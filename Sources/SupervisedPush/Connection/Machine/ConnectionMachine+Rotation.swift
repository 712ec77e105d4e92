/// How another credential replaces the one in use while pushes flow.
extension ConnectionMachine {
    /// A link that is up continues until one with the other credential is up. If no link is up, it is adopted at once.
    mutating func credentialOffered(_ offer: CredentialOffer) {
        guard closingDeadline == nil, !credential.isRejectedForGood else { return decline(offer, end: .closed) }
        if let earlier = replacement?.offer { decline(earlier, end: .superseded) }
        let successor = dialed
        dialed = nil
        if let successor { actions.append(.abandonLink(successor.id)) }
        var pauses = backoff
        pauses.reset()
        guard current != nil, credential.refusal == nil else {
            renewCredential(offer, from: linksDialed + 1)
            backoff = pauses
            replacement = nil
            return current == nil ? dial() : replaceByForce(nil, cause: nil)
        }
        if offer.isProven { renewCredential(offer, from: linksDialed + 1) }
        replacement = Replacement(reason: offer.isProven ? .credential : .offer(offer), backoff: pauses)
        dial()
    }

    /// Adopts the offered credential, if there is one. `link` uses it already; nil: the next link will.
    mutating func acceptOffer(from link: LinkID?) {
        guard let offer = replacement?.offer else { return }
        replacement = nil
        renewCredential(offer, from: link?.number ?? linksDialed + 1)
    }

    /// No link came up with the offered credential: the one in use stays, with its link.
    mutating func offerFailed(_ offer: CredentialOffer, cause: LinkFailure) {
        replacement = nil
        announce(.replacementFailed(attempt: 1, delay: .zero, cause: cause))
        decline(offer, end: .failed(cause))
    }

    /// A proven credential is already in use, so there is nothing to decline.
    mutating func decline(_ offer: CredentialOffer, end: CredentialInUse.OfferEnd) {
        if !offer.isProven { actions.append(.declineOffer(offer.number, end)) }
    }

    private mutating func renewCredential(_ offer: CredentialOffer, from link: UInt32) {
        settings.usesCertificate = offer.isCertificate
        credential.renew(from: link)
        if !offer.isProven { actions.append(.acceptOffer(offer.number)) }
    }
}
