// What Apple's page "Handling notification responses from APNs" says of each reason, with the status that goes with it.

export const page =
  "https://developer.apple.com/documentation/usernotifications/handling-notification-responses-from-apns";

export const reasons = {
  BadCollapseId: [400, "The collapse identifier exceeds the maximum allowed size."],
  BadDeviceToken: [
    400,
    "The specified device token is invalid. Verify that the request contains a valid token and that the token" +
      " matches the environment.",
  ],
  BadExpirationDate: [400, "The apns-expiration value is invalid."],
  BadMessageId: [400, "The apns-id value is invalid."],
  BadPriority: [400, "The apns-priority value is invalid."],
  BadTopic: [400, "The apns-topic value is invalid."],
  DeviceTokenNotForTopic: [400, "The device token doesn’t match the specified topic."],
  DuplicateHeaders: [400, "One or more headers are repeated."],
  IdleTimeout: [400, "Idle timeout."],
  InvalidPushType: [400, "The apns-push-type value is invalid."],
  MissingDeviceToken: [
    400,
    "The device token isn’t specified in the request :path. Verify that the :path header contains the device " +
      "token.",
  ],
  MissingTopic: [
    400,
    "The apns-topic header of the request isn’t specified and is required. The apns-topic header is mandatory" +
      " when the client is connected using a certificate that supports multiple topics.",
  ],
  PayloadEmpty: [400, "The message payload is empty."],
  TopicDisallowed: [400, "Pushing to this topic is not allowed."],
  BadCertificate: [403, "The certificate is invalid."],
  BadCertificateEnvironment: [403, "The client certificate is for the wrong environment."],
  ExpiredProviderToken: [403, "The provider token is stale and a new token should be generated."],
  Forbidden: [403, "The specified action is not allowed."],
  InvalidProviderToken: [403, "The provider token is not valid, or the token signature can’t be verified."],
  MissingProviderToken: [
    403,
    "No provider certificate was used to connect to APNs, and the authorization header is missing or no " +
      "provider token is specified.",
  ],
  UnrelatedKeyIdInToken: [
    403,
    "The key ID in the provider token isn’t related to the key ID of the token used in the first push of this" +
      " connection. To use this token, open a new connection.",
  ],
  BadEnvironmentKeyIdInToken: [403, "The key ID in the provider token doesn’t match the environment."],
  BadPath: [404, "The request contained an invalid :path value."],
  MethodNotAllowed: [405, "The specified :method value isn’t POST."],
  ExpiredToken: [410, "The device token has expired."],
  Unregistered: [
    410,
    "The device token is inactive for the specified topic. There is no need to send further pushes to the " +
      "same device token, unless your application retrieves the same device token.",
  ],
  PayloadTooLarge: [413, "The message payload is too large."],
  TooManyProviderTokenUpdates: [
    429,
    "The provider’s authentication token is being updated too often. Update the authentication token no more " +
      "than once every 20 minutes.",
  ],
  TooManyRequests: [429, "Too many requests were made consecutively to the same device token."],
  InternalServerError: [500, "An internal server error occurred."],
  ServiceUnavailable: [503, "The service is unavailable."],
  Shutdown: [503, "The APNs server is shutting down."],
};

/** Apple's words for a reason; null for one that the page does not have. */
export const words = (reason) => (Object.hasOwn(reasons, reason) ? reasons[reason][1] : null);
