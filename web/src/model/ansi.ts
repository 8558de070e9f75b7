// Text from hosts is shown as text: escape sequences are taken out, other control characters made
// visible. Nothing of it is ever read as markup.

// CSI, OSC (ended by BEL or ST), and two-character escapes.
// eslint-disable-next-line no-control-regex
const kEscapes = /\u001b(?:\[[0-?]*[ -/]*[@-~]|\][^\u0007\u001b]*(?:\u0007|\u001b\\)?|[@-Z\\-_])|\u009b[0-?]*[ -/]*[@-~]/g
// eslint-disable-next-line no-control-regex
const kControls = /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u202a-\u202e\u2066-\u2069]/g

export function plainText(text: string): string {
  const lastWritten = text.replace(/\r+$/, '').replace(kEscapes, '')
  return lastWritten.replace(kControls, (c) => (c < ' ' ? String.fromCharCode(0x2400 + c.charCodeAt(0)) : '\ufffd'))
}
