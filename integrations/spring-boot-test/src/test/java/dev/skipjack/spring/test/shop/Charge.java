package dev.skipjack.spring.test.shop;

record Charge(String number, String result) {}
