// What the push types are, in words. A new type of Apple's is shown by its name.

const types = {
  alert: ["Alert", "alert", "A notification that a person sees."],
  background: [
    "Background", "background",
    "No person sees it. The system may start the app for some seconds, two or three times an hour.",
  ],
  voip: ["VoIP", "voip", "A call. The app starts at once and must report the call to CallKit."],
  liveactivity: [
    "Live Activity", "liveactivity", "A new state of a Live Activity, on the lock screen and in the Dynamic Island.",
  ],
  complication: ["Complication", "device", "New data for a complication of a watchOS app. No person is alerted."],
  widgets: ["Widgets", "device", "WidgetKit reloads the widgets of the app. No person is alerted."],
  controls: ["Controls", "device", "The system reloads the controls of the app. No person is alerted."],
  fileprovider: ["File Provider", "device", "The File Provider extension looks for changes. No person is alerted."],
  mdm: ["MDM", "device", "The device contacts its management server. The payload carries only the token for that."],
  location: ["Location", "device", "The Location Push Service extension is asked where the device is."],
  accessory: [
    "Accessory", "device", "An accessory's answer to a notification that was forwarded to it. No person is alerted.",
  ],
  pushtotalk: ["Push to Talk", "voip", "The Push to Talk framework starts the app to play what is spoken."],
};

/** `{ name, icon, meaning }` of a push type. A push without one is an alert. */
export function pushType(type) {
  const key = type ?? "alert";
  const unknown = [key, "device", "A push type that this page does not know."];
  const [name, icon, meaning] = Object.hasOwn(types, key) ? types[key] : unknown;
  return { name, icon, meaning };
}

const suffixes = [
  ".voip-ptt", ".voip", ".complication", ".pushkit.fileprovider", ".location-query", ".push-type.liveactivity",
  ".push-type.widgets", ".push-type.controls", ".push-type.accessory",
];

/** The bundle id of a topic: without the suffix of a push type. */
export function bundleID(topic) {
  const suffix = suffixes.find((end) => topic?.endsWith(end)) ?? "";
  return (topic ?? "").slice(0, (topic ?? "").length - suffix.length);
}

/** A name for the app of a topic: `Shop` for `com.example.shop`. */
export function appName(topic) {
  const last = bundleID(topic).split(".").at(-1) || "App";
  const [first, ...rest] = last;
  return first.toUpperCase() + rest.join("");
}
