package dev.skipjack.benchmarks;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.sun.management.ThreadMXBean;
import dev.skipjack.api.PayloadCodec;
import dev.skipjack.api.PayloadException;
import java.lang.management.ManagementFactory;
import java.util.concurrent.atomic.LongAdder;

/** Decodes with Jackson and counts the allocated bytes, which the benchmark subtracts. */
final class CountingCodec implements PayloadCodec {

  private static final ThreadMXBean THREADS =
      ManagementFactory.getPlatformMXBean(ThreadMXBean.class);

  private final ObjectMapper mapper = new ObjectMapper();
  private final LongAdder allocated = new LongAdder();

  long allocated() {
    return allocated.sum();
  }

  @Override
  public String encode(Object payload) {
    try {
      return mapper.writeValueAsString(payload);
    } catch (JsonProcessingException e) {
      throw new PayloadException("Payload cannot be encoded.", e);
    }
  }

  @Override
  public <T> T decode(String json, Class<T> payloadClass) {
    long thread = Thread.currentThread().getId();
    long before = THREADS.getThreadAllocatedBytes(thread);
    try {
      return mapper.readValue(json, payloadClass);
    } catch (JsonProcessingException e) {
      throw new PayloadException("Payload cannot be decoded.", e);
    } finally {
      allocated.add(THREADS.getThreadAllocatedBytes(thread) - before);
    }
  }
}
