package dev.skipjack.observation;

import org.slf4j.helpers.BasicMDCAdapter;
import org.slf4j.helpers.NOP_FallbackServiceProvider;
import org.slf4j.spi.MDCAdapter;

/** Provides a working MDC, as real backends have, and no logger. */
public final class MdcServiceProvider extends NOP_FallbackServiceProvider {

  private final MDCAdapter mdc = new BasicMDCAdapter();

  @Override
  public MDCAdapter getMDCAdapter() {
    return mdc;
  }
}
