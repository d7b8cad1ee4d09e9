package dev.skipjack.spring;

import dev.skipjack.api.PayloadCodec;
import dev.skipjack.jackson3.Jackson3Codec;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnClass;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.context.annotation.Bean;

/** Converts payloads with Jackson 3 if {@code queue-jackson3} is on the class path. */
@AutoConfiguration(before = SkipjackAutoConfiguration.class)
@ConditionalOnClass(
    name = {"dev.skipjack.jackson3.Jackson3Codec", "tools.jackson.databind.json.JsonMapper"})
public class SkipjackJackson3AutoConfiguration {

  @Bean
  @ConditionalOnMissingBean(PayloadCodec.class)
  Jackson3Codec skipjackPayloadCodec() {
    return new Jackson3Codec();
  }
}
