// Debian packages whose programs tests run, of Debian 12. A new version is a commit: version, digests, tests green.
import type { DebianPackage } from './debian-package.ts';

/** Prometheus and `promtool`. */
export const PROMETHEUS: DebianPackage = {
  name: 'prometheus',
  version: '2.42.0+ds-5+deb12u1',
  sha256: {
    amd64: '81d59a24fce84f7fbe97a45a4f2914b6a5881b5cd1db2a6a0e129e515e1a5f55',
    arm64: 'ca131aa102390083398afbc80be9c8dd1dda78f9f92154fc00df8f7f1f4556e9',
  },
};

export const NGINX: DebianPackage = {
  name: 'nginx',
  version: '1.22.1-9+deb12u10',
  sha256: {
    amd64: 'cc7ae36d024f602861eeefe64656d14481b3bd224d81f8d69f789de49f16375a',
    arm64: '482916490b3dfa7e23b0efdbe5eb0b4871220bbe6ea1f54d1cf1010de8d01fbb',
  },
};

export const HAPROXY: DebianPackage = {
  name: 'haproxy',
  version: '2.6.12-1+deb12u4',
  sha256: {
    amd64: '97ca097d12b43fc5cb1b17aa5e84957735ef312a2e02cf8a99512fa1abe8a955',
    arm64: '2ea3a5fe010fbe691b5af37d5eaed6c1294f38178f2ef3f82671557988946c58',
  },
};

/** Libraries of HAProxy that a small installation of Debian does not have. */
export const HAPROXY_LIBRARIES: readonly DebianPackage[] = [
  {
    name: 'liblua5.3-0',
    version: '5.3.6-2',
    sha256: {
      amd64: '576ad8ef2e9f6ad21f29f0c90dac17448deefee8f3912877c2a0911b77e5d3ca',
      arm64: 'a6ced38c031a049097fef0acdf57cac7d16d7f642006e8a2c17358bb47caa318',
    },
  },
  {
    name: 'libopentracing-c-wrapper0',
    version: '1.1.3-3+b1',
    sha256: {
      amd64: '68013bf6296a776923622c871bed26bc7b6bfe5f84b0fa2707a06382d1db2692',
      arm64: '36751ed62c207843d9997e7984aec6cd7482fdd703f43849bc9e31e09c4c4d55',
    },
  },
  {
    name: 'libopentracing1',
    version: '1.6.0-4',
    sha256: {
      amd64: 'af62b62a99979253a79e3443f7dabe13f1f33bc2fc024f99039e3868a67f26f4',
      arm64: '5fe103e1d8ab56f8ee381aa3cca9ec0e40e61ea24f25d0ac9933cf9c5820b3a4',
    },
  },
];

export const CADDY: DebianPackage = {
  name: 'caddy',
  version: '2.6.2-5',
  sha256: {
    amd64: '383b75bbffeee1d5284a9bddb3628fddc31dd16157d8a3d7b1ad6c77cadc5e73',
    arm64: '84fe201ea3c869bb23144e72e3f643b7d00395704ba98d958a4f780ce15b79ff',
  },
};

/** Makes a root of Debian: tools/containers. */
export const DEBOOTSTRAP: DebianPackage = {
  name: 'debootstrap',
  version: '1.0.128+nmu2+deb12u2',
  sha256: {
    amd64: '63f354316e9bbe747b143b7b0d83e5f237c90314a17734fba9ff202c2ef02760',
    arm64: '63f354316e9bbe747b143b7b0d83e5f237c90314a17734fba9ff202c2ef02760',
  },
};
