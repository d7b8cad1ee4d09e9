package dev.skipjack.testkit;

import dev.skipjack.api.JobType;
import dev.skipjack.api.PayloadCodec;
import dev.skipjack.api.PayloadException;

/** Reads payloads as the worker would. */
final class Payloads {

  private static final String JACKSON = "com.fasterxml.jackson.databind.json.JsonMapper";

  private Payloads() {}

  /**
   * The payload in today's shape.
   *
   * @throws PayloadException if it does not fit the type; names the job
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

  /** Reads as a queue does that was given no codec; says so at its first use if it cannot. */
  static PayloadCodec standard() {
    try {
      Class.forName(JACKSON, false, Payloads.class.getClassLoader());
    } catch (ClassNotFoundException e) {
      return new Missing();
    }
    return new JacksonPayloads();
  }

  /** Payloads that no assertion looks at need no codec. */
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
