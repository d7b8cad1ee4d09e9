package dev.skipjack.spring.test.shop;

class SharedContextSecondTest extends SharedContext {}
