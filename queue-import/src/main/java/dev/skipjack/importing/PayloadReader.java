package dev.skipjack.importing;

/** Converts the data of another queue's job to the payload of a job, as JSON. */
@FunctionalInterface
public interface PayloadReader {

  /**
   * Returns the payload. If this method throws an exception, the row stays in its source, and the
   * reason in the report contains the first line of the exception.
   *
   * @param data the data of the job. For Quartz and JobRunr, it is JSON in UTF-8, made from what
   *     they store; for other queues, it is what they store, and empty if they store none
   * @return the payload as JSON, at most 256 KiB in UTF-8; neither Java's nor JSON's null
   * @throws Exception if the data cannot be converted. The other rows are still moved
   */
  String read(byte[] data) throws Exception;
}
