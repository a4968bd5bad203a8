/** The local files of an fd. */
export interface UploadSource {
  readonly form: "plain" | "pack";
  /** The lines of its record: the claim, and the seal once it has ended. */
  record(): Uint8Array;
  /** The pages of its index, once it has ended. */
  index(): Uint8Array;
  /** Whether no bytes will come any more. */
  hasEnded(): boolean;
  /** Bytes of content in the file. */
  byteCount(): number;
  /** Reads exactly these bytes of the file, into `into` if it is given, which has the same length. */
  read(fromByte: number, byteCount: number, into?: Uint8Array<ArrayBuffer>): Uint8Array<ArrayBuffer>;
}
