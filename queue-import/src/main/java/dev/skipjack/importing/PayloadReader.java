package dev.skipjack.importing;

/** Converts the data of another queue's job to the payload of a job, as JSON. */
@FunctionalInterface
public interface PayloadReader {

  /**
   * Returns the payload. An exception keeps the row in its source, and its message is the reason in
   * the report.
   *
   * @param data the bytes that the source stores; empty if it stores none
   */
  String read(byte[] data) throws Exception;
}
