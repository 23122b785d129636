// SPDX-License-Identifier: Apache-2.0
pragma solidity 0.8.37;

import {Authorization, BatchGroup, Split} from "../src/PaymentTypes.sol";
import {IEIP3009} from "../src/interfaces/IAuthorizedToken.sol";
import {DirectFixture} from "./DirectFixture.sol";
import {TokenCalls} from "./mocks/TokenCalls.sol";

/// @dev Gas of whole transactions, intrinsic cost and calldata included, on a chain that has seen the merchants, the
/// fee recipient and the operator before. Run with `--isolate`; the figures go to `_file()`.
contract GasTest is DirectFixture {
    function setUp() public virtual override {
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
        string memory json = "gas";
        vm.serializeUint(json, "bare", _bare());
        vm.serializeUint(json, "single_exact", _single());
        vm.serializeUint(json, "batch100", _batch(100, 300, 1e6, 1e6) / 100);
        vm.serializeUint(json, "batch100_upto", _batch(100, 600, 1e6, 4e5) / 100);
        vm.serializeUint(json, "batch100_merchants", _merchants() / 100);
        vm.serializeUint(json, "direct_single", _directSingle());
        vm.serializeUint(json, "direct100", _directBatch() / 100);
        vm.serializeUint(json, "direct100_merchants", _directMerchants() / 100);
        vm.serializeUint(json, "token100", _tokenAlone(false) / 100);
        vm.serializeUint(json, "token100_merchants", _tokenAlone(true) / 100);
        json = vm.serializeUint(json, "size_bytes", address(processor).code.length);
        vm.writeJson(json, _file());
        _judge(json);
    }

    function _file() internal pure virtual returns (string memory) {
        return ".cache/contracts/gas.json";
    }

    function _judge(string memory json) internal view virtual {
        assertLe(vm.parseJsonUint(json, ".single_exact"), 130_000, "single exact");
        assertLe(vm.parseJsonUint(json, ".batch100"), 51_000, "batch of 100");
        assertLe(vm.parseJsonUint(json, ".batch100_upto"), 57_500, "batch of 100, up-to");
        assertLe(vm.parseJsonUint(json, ".batch100_merchants"), 67_000, "batch of 100, known merchants");
        assertLe(vm.parseJsonUint(json, ".direct_single"), 71_500, "direct, alone");
        assertLe(vm.parseJsonUint(json, ".direct100"), 43_000, "direct, batch of 100");
        assertLe(vm.parseJsonUint(json, ".direct100_merchants"), 48_400, "direct, batch of 100, known merchants");
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

    /// @dev The token is called itself; intent code and payout id stand behind the arguments.
    function _directSingle() private returns (uint256) {
        Authorization memory a = _authorization(payer, 1e6);
        bytes memory data = abi.encodePacked(_transferCall(PAYER_KEY, a, merchant), uint64(1_000_000), PAYOUT);
        vm.prank(operator);
        (bool done,) = address(token).call(data);
        uint256 used = vm.lastCallGas().gasTotalUsed;
        assertTrue(done);
        return used;
    }

    function _transferCall(uint256 key, Authorization memory a, address wallet) private view returns (bytes memory) {
        (uint8 v, bytes32 r, bytes32 s) = vm.sign(key, _digest(a, wallet));
        return abi.encodeWithSelector(
            IEIP3009.transferWithAuthorization.selector,
            a.from,
            wallet,
            a.value,
            a.validAfter,
            a.validBefore,
            a.nonce,
            v,
            r,
            s
        );
    }

    /// @dev The token's own work for a hundred payments of one transaction: what no contract before it can save.
    function _tokenAlone(bool manyMerchants) private returns (uint256) {
        TokenCalls caller = new TokenCalls();
        bytes[] memory calls = new bytes[](100);
        for (uint64 i; i < 100; ++i) {
            uint256 key = _key((manyMerchants ? 5_000 : 4_000) + i);
            address wallet = manyMerchants ? address(uint160(uint256(keccak256(abi.encode("other", i))))) : merchant;
            token.mint(wallet, 1);
            token.mint(vm.addr(key), 1e7);
            calls[i] = _transferCall(key, _authorization(vm.addr(key), 1e6), wallet);
        }
        return caller.run(address(token), calls);
    }

    function _directBatch() private returns (uint256) {
        bytes memory groups = _head(merchant, PAYOUT, 100);
        for (uint64 i; i < 100; ++i) {
            groups = abi.encodePacked(groups, _directItem(2_000 + i, merchant));
        }
        return _directGas(groups);
    }

    function _directMerchants() private returns (uint256) {
        bytes memory groups;
        for (uint64 i; i < 100; ++i) {
            address shop = address(uint160(uint256(keccak256(abi.encode("shop", i)))));
            token.mint(shop, 1);
            groups = abi.encodePacked(groups, _head(shop, 1_000 + i, 1), _directItem(3_000 + i, shop));
        }
        return _directGas(groups);
    }

    function _directItem(uint64 number, address wallet) private returns (bytes memory) {
        uint256 key = _key(number);
        // Not just the value: a payer whose balance drops to zero would earn a gas refund and flatter the figures.
        token.mint(vm.addr(key), 1e7);
        return _keyItem(key, _authorization(vm.addr(key), 1e6), wallet, 1_000_000 + number);
    }

    function _directGas(bytes memory groups) private returns (uint256) {
        vm.prank(operator);
        bytes memory codes = direct.settle(address(token), CALL_GAS, groups);
        uint256 used = vm.lastCallGas().gasTotalUsed;
        assertEq(codes, new bytes(100));
        return used;
    }
}
