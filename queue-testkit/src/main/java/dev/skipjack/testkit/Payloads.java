package dev.skipjack.testkit;

import dev.skipjack.api.JobType;
import dev.skipjack.api.PayloadCodec;
import dev.skipjack.api.PayloadException;

/** Decodes payloads as a worker does. */
final class Payloads {

  private static final String JACKSON = "com.fasterxml.jackson.databind.json.JsonMapper";

  private Payloads() {}

  /**
   * Returns the payload of a job, converted to the current version of its type.
   *
   * @throws PayloadException if the payload does not match the type; the message names the job
   */
  static <T> T decode(PayloadCodec codec, JobType<T> type, JobRow job) {
    String json = job.payload();
    try {
      if (job.payloadVersion() < type.payloadVersion()) {
        json = type.upcaster().upcast(json, job.payloadVersion());
      }
      return codec.decode(json, type.payloadClass());
    } catch (PayloadException refused) {
      throw new PayloadException("Job %s: %s".formatted(job.id(), refused.getMessage()), refused);
    }
  }

  /**
   * Returns the default codec of a queue. If it is not available, the first use of the returned
   * codec fails.
   */
  static PayloadCodec standard() {
    try {
      Class.forName(JACKSON, false, Payloads.class.getClassLoader());
    } catch (ClassNotFoundException e) {
      return new Missing();
    }
    return new JacksonPayloads();
  }

  /**
   * A codec that fails when it is used, so that assertions that do not read payloads need no codec.
   */
  static final class Missing implements PayloadCodec {

    @Override
    public String encode(Object payload) {
      throw missing();
    }

    @Override
    public <T> T decode(String json, Class<T> payloadClass) {
      throw missing();
    }

    private static IllegalStateException missing() {
      return new IllegalStateException(
          "Jackson is not on the class path to read payloads with. Name the queue's own codec: assertThat(database).decodedBy(queue.codec()).");
    }
  }
}
