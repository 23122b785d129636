// SPDX-License-Identifier: Apache-2.0
pragma solidity 0.8.37;

import {Authorization, BatchGroup, Split} from "../src/PaymentTypes.sol";
import {Fixture} from "./Fixture.sol";

/// @dev Gas of whole transactions, intrinsic cost and calldata included, on a chain that has seen the merchants, the
/// fee recipient and the operator before. Run with `--isolate`; the figures go to .cache/contracts/gas.json.
contract GasTest is Fixture {
    string private constant FILE = ".cache/contracts/gas.json";

    function setUp() public override {
        super.setUp();
        token.mint(merchant, 1);
        token.mint(feeTo, 1);
        for (uint64 i; i < 100; ++i) {
            address shop = address(uint160(0x5000 + i));
            token.mint(shop, 1);
            _register(1_000 + i, shop, 50, new Split[](0));
        }
        // The operator's hour and the neighbouring codes were touched before.
        _settle(_one(_group(PLAIN, 1, 256, 1e6, 1e6)));
        _settle(_one(_group(PLAIN, 1, 512, 1e6, 1e6)));
    }

    function test_gasFigures() public {
        uint256 bare = _bare();
        uint256 single = _single();
        uint256 batch = _batch(100, 300, 1e6, 1e6) / 100;
        uint256 upto = _batch(100, 600, 1e6, 4e5) / 100;
        uint256 merchants = _merchants() / 100;
        string memory json = "gas";
        vm.serializeUint(json, "bare", bare);
        vm.serializeUint(json, "single_exact", single);
        vm.serializeUint(json, "batch100", batch);
        vm.serializeUint(json, "batch100_upto", upto);
        vm.serializeUint(json, "batch100_merchants", merchants);
        vm.writeJson(vm.serializeUint(json, "size_bytes", address(processor).code.length), FILE);
        assertLe(single, 130_000, "single exact");
        assertLe(batch, 51_000, "batch of 100");
        assertLe(upto, 57_500, "batch of 100, up-to");
        assertLe(merchants, 67_000, "batch of 100, known merchants");
        assertLt(address(processor).code.length, 24_576, "contract size");
    }

    function _bare() private returns (uint256) {
        Authorization memory a = _authorization(payer, 1e6);
        (uint8 v, bytes32 r, bytes32 s) = vm.sign(PAYER_KEY, _digest(a, merchant));
        vm.prank(operator);
        token.transferWithAuthorization(a.from, merchant, a.value, a.validAfter, a.validBefore, a.nonce, v, r, s);
        return vm.lastCallGas().gasTotalUsed;
    }

    function _single() private returns (uint256) {
        Authorization memory a = _authorization(payer, 1e6);
        (uint8 v, bytes32 r, bytes32 s) = _sign(PAYER_KEY, a);
        vm.prank(operator);
        processor.payWithSignature(address(token), 257, PLAIN, a, v, r, s);
        return vm.lastCallGas().gasTotalUsed;
    }

    function _batch(uint256 count, uint64 firstCode, uint256 cap, uint256 settled) private returns (uint256) {
        BatchGroup[] memory groups = _one(_group(PLAIN, count, firstCode, cap, settled));
        vm.prank(operator);
        processor.settleBatch(address(token), groups);
        return vm.lastCallGas().gasTotalUsed;
    }

    function _merchants() private returns (uint256) {
        BatchGroup[] memory groups = new BatchGroup[](100);
        for (uint64 i; i < 100; ++i) {
            groups[i] = _group(1_000 + i, 1, 800 + i, 1e6, 1e6);
        }
        vm.prank(operator);
        processor.settleBatch(address(token), groups);
        return vm.lastCallGas().gasTotalUsed;
    }
}
